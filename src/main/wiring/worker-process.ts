import { RUN_QUEUE } from '../../runtime/dependencies.ts';
import { opening } from '../process/closers.ts';
import type { Core } from './compose.ts';
import type { Workable } from '../process/follow-address.ts';
import { startBeats } from './beats.ts';
import { startReconciler } from './reconciler.ts';
import { startPeriodicJobs } from './periodic-jobs.ts';
import { keepSeeding } from './registry-seed.ts';

/** Tasks at work at once in one process; most of their time is spent waiting for the store. */
const RUN_CONCURRENCY = 32;
/** Webhooks under way at once in one process. */
const DELIVERY_CONCURRENCY = 256;
/** How soon a turn handed back for its address comes again, in milliseconds. */
const HANDED_BACK_MS = 250;
/** How long running work may finish when nothing else is said, in milliseconds. */
const GRACE_MS = 3_000;

interface WorkOptions {
  /** How long running work may finish when the process is told to stop, in milliseconds; after that it is handed back. Default 3 s. */
  graceMs?: number;
}

/**
 * Starts taking work in this process: task turns, webhook deliveries, and the reconciler. Turns and periodic jobs that come after
 * a server has said another address than this process works under are left to those that know it; deliveries are frozen
 * bytes, and name none.
 */
export function startWork(core: Core, { graceMs = GRACE_MS }: WorkOptions = {}): { stop(): Promise<void> } {
  const runs = core.queues.work(
    RUN_QUEUE,
    async ({ data }, signal) => {
      // Asked after the job was taken: so what was asked at an address is never answered under an older one.
      if (!(await core.isNewestAddress())) return { parkMs: HANDED_BACK_MS };
      return core.runtime.execute(data, signal);
    },
    { concurrency: RUN_CONCURRENCY },
  );
  const deliveries = core.webhooks.start({ concurrency: DELIVERY_CONCURRENCY });
  const reconciler = startReconciler(core);
  const periodicJobs = startPeriodicJobs(core);
  const beats = startBeats(core);
  return {
    async stop() {
      beats.stop();
      await Promise.all([reconciler.stop(), periodicJobs.stop(), runs.close(graceMs), deliveries.close(graceMs)]);
    },
  };
}

/** What a process works with, idle until told to work; `stop` ends the work and closes the core. */
export function openWorker(
  composed: () => Promise<Core>,
  options?: WorkOptions,
): Promise<Workable & Pick<Core, 'inUse'>> {
  return opening(async (closers) => {
    const core = await composed();
    closers.add(() => core.close());
    const worker = workOf(core, options);
    const stopping = new AbortController();
    let seeding: Promise<void> | undefined;
    closers.add(() => {
      stopping.abort();
      return Promise.all([worker.stop(), seeding]);
    });
    const work = () => {
      worker.work();
      seeding ??= keepSeeding(core, stopping.signal);
    };
    return { work, inUse: core.inUse, stop: () => closers.close() };
  });
}

/** The work of a core that somebody else closes, idle until told to work. */
export function workOf(core: Core, options?: WorkOptions): Workable {
  let started: { stop(): Promise<void> } | undefined;
  return {
    work() {
      started ??= startWork(core, options);
    },
    stop: async () => started?.stop(),
  };
}
