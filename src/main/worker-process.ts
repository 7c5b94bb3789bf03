import { RUN_QUEUE } from '../runtime/dependencies.ts';
import type { Core } from './compose.ts';
import { startReconciler } from './reconciler.ts';
import { startSteps } from './steps.ts';

/** Tasks at work at once in one process; most of their time is spent waiting for the store. */
const RUN_CONCURRENCY = 32;
/** Webhooks under way at once in one process. */
const DELIVERY_CONCURRENCY = 256;
/** How long running work may finish when the process is told to stop; after that it is handed back. */
const GRACE_MS = 3_000;

/** Starts taking work in this process: task turns, webhook deliveries, and the reconciler. */
export function startWork(core: Core): { stop(): Promise<void> } {
  const runs = core.queues.work(
    RUN_QUEUE,
    async ({ data }, signal) => {
      await core.runtime.execute(data, signal);
      return undefined;
    },
    { concurrency: RUN_CONCURRENCY },
  );
  const deliveries = core.webhooks.start({ concurrency: DELIVERY_CONCURRENCY });
  const reconciler = startReconciler(core);
  const steps = startSteps(core);
  return {
    async stop() {
      await Promise.all([reconciler.stop(), steps.stop(), runs.close(GRACE_MS), deliveries.close(GRACE_MS)]);
    },
  };
}
