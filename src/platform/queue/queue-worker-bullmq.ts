import { setMaxListeners } from 'node:events';
import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Job, Queue as BullQueue } from 'bullmq';
import type { Logger } from '../log.ts';
import { FairWorker } from './fair-worker.ts';
import { createJobKeeper } from './kept-jobs.ts';
import type { JobHandler, QueueSpec, QueueWorker } from './queue.ts';
import { isConnectionError, withinDeadline } from '../redis/redis-connection.ts';
import type { RedisClient } from '../redis/redis-connection.ts';
import { createSparingLog, warnSparingly } from '../sparing-log.ts';
import { isNoteOfDropped, NO_JSON, noteDropped, UnreadableJobWorker } from './unreadable-jobs.ts';
import type { PayloadProblem } from './unreadable-jobs.ts';

/** A job whose worker died is taken by another after at most this and one stalled check, in milliseconds. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5000;

/** How long an aborted handler may take to notice before its job is handed back without it, in milliseconds. */
const SETTLE_MS = 1000;

/** How long handing back may take, in milliseconds; a Redis that is away longer gives the jobs back by their locks. */
const HAND_BACK_MS = 2000;

export interface WorkerSettings<T> {
  spec: QueueSpec<T>;
  /** The same queue, to add to. */
  queue: BullQueue;
  prefix: string;
  /** Shared by all workers of the process; must have `maxRetriesPerRequest: null`. */
  connection: RedisClient;
  /** Where ended jobs are written down. */
  keeper: RedisClient;
  handler: JobHandler<T>;
  concurrency: number;
  logger: Logger;
}

/** One BullMQ worker under the {@link QueueWorker} port. */
export function startWorker<T>(settings: WorkerSettings<T>): QueueWorker {
  const { spec, queue, prefix, connection, keeper, handler, concurrency, logger } = settings;
  const { name } = spec;
  const stop = new AbortController();
  // Every job of the process listens to it.
  setMaxListeners(0, stop.signal);
  let abandon: (reason: Error) => void = () => undefined;
  const abandoned = new Promise<never>((_, reject) => {
    abandon = reject;
  });
  abandoned.catch(() => undefined);
  const running = new Set<Promise<void>>();
  let closed: Promise<void> | undefined;
  const kept = spec.keeps && createJobKeeper(keeper, queue, spec.keeps, logger);

  const run = async (job: Job<unknown>, token: string | undefined): Promise<void> => {
    if (closed) return park(job, token, 0);
    const id = job.id ?? '';
    if (isNoteOfDropped(id)) throw new UnrecoverableError('the payload of a job did not fit; it was dropped');
    if (job.data === NO_JSON) return drop(id, [{ path: '', code: 'no_json' }]);
    const parsed = spec.schema.safeParse(job.data);
    if (!parsed.success) {
      return drop(
        id,
        parsed.error.issues.map(({ path, code }) => ({ path: path.join('.'), code })),
      );
    }
    let parkMs: number;
    try {
      const outcome = await Promise.race([handler({ id, data: parsed.data }, stop.signal), abandoned]);
      if (outcome === undefined || 'failed' in outcome) {
        kept?.note(job, outcome?.failed);
        return;
      }
      parkMs = outcome.parkMs;
    } catch (error) {
      if (!stop.signal.aborted) {
        logger.error({ queue: name, job_id: id, err: error }, 'job given up; the reconciler decides what follows');
        kept?.note(job, error instanceof Error ? error.message : String(error));
        throw error;
      }
      parkMs = 0;
    }
    await park(job, token, parkMs);
  };

  const drop = async (id: string, issues: readonly PayloadProblem[]): Promise<void> => {
    logger.warn(
      { queue: name, job_id: id, issues },
      'job dropped: its payload does not fit; what is owed is queued anew',
    );
    await noteDropped(queue, id, issues, spec.keeps?.failed).catch((error: unknown) => {
      logger.warn({ queue: name, job_id: id, err: error }, 'no note is left of a dropped job');
    });
  };

  const park = async (job: Job<unknown>, token: string | undefined, parkMs: number): Promise<never> => {
    try {
      await job.moveToDelayed(Date.now() + parkMs, token);
    } catch (error) {
      warnSparingly(
        logger,
        { queue: name, job_id: job.id, err: error },
        'job could not be parked; the reconciler queues it again',
      );
    }
    throw new DelayedError();
  };

  const process = (job: Job<unknown>, token?: string): Promise<void> => {
    const work = run(job, token);
    const settled: Promise<void> = work
      .catch(() => undefined)
      .then(() => {
        running.delete(settled);
      });
    running.add(settled);
    return work;
  };

  const options = {
    connection,
    prefix,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: 1e9,
    runRetryDelay: 1000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  };
  const worker =
    spec.fairBy === undefined
      ? new UnreadableJobWorker(name, process, options)
      : new FairWorker(name, process, { ...options, fairness: { redis: connection, prefix, by: spec.fairBy } });
  const sparing = createSparingLog();
  worker.on('error', (error) => {
    if (isConnectionError(error)) return;
    sparing(error.message, (repeated) => {
      logger.warn({ queue: name, repeated, err: error }, 'queue worker error');
    });
  });
  worker.on('stalled', (jobId) => {
    warnSparingly(logger, { queue: name, job_id: jobId }, 'job taken over from a worker that stopped');
  });

  const close = async (graceMs: number): Promise<void> => {
    const redisIsThere = connection.status === 'ready';
    // BullMQ's graceful close waits for ever on a Redis that is away.
    const closing = redisIsThere ? worker.close() : worker.pause(true);
    await settledWithin(graceMs, running);
    stop.abort(new Error('the worker is stopping'));
    await settledWithin(SETTLE_MS, running);
    abandon(new Error('the worker stopped before this job ended'));
    await withinDeadline(closing, 'hand-back of running jobs', HAND_BACK_MS).catch((error: unknown) => {
      logger.warn({ queue: name, err: error }, 'jobs not handed back; their locks run out');
    });
    if (!redisIsThere) await worker.close(true);
    await kept?.close();
  };

  return { busy: () => running.size, close: (graceMs) => (closed ??= close(graceMs)) };
}

/** Resolves when all of `work` has settled, or after `ms` milliseconds. */
async function settledWithin(ms: number, work: Set<Promise<void>>): Promise<void> {
  if (work.size === 0) return;
  await withinDeadline(Promise.all(work), 'running jobs', ms).catch(() => undefined);
}
