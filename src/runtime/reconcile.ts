import { addMissing } from '../platform/queue/add-missing.ts';
import { createBacklog, FAR } from '../platform/store/backlog.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { turnJob } from './queue-turn.ts';
import { markNotified } from './transition.ts';

/** Rows that one sweep looks at, at most; the next one goes on behind them. Bounds what a long backlog costs. */
const MAX_PER_SWEEP = 2_000;

/**
 * Queues again what the store says is owed: turns without a job, and events whose deliveries were never made. Harmless
 * for what is in hand already, since ids derive from the rows. Answers how many of these there were.
 * @param overdueMs how long something must have been owed; 0 after the queue lost its memory, when everything is looked
 * at in one go, turns of a later time included.
 * @throws when the store or the queue does not answer.
 */
export type ReconcileRuns = (overdueMs: number) => Promise<number>;

export function createReconcileRuns(deps: RuntimeDependencies): ReconcileRuns {
  const turns = createBacklog(deps.runs, 'run_due_at', (rows) =>
    addMissing(
      deps.queue,
      rows.map((run) => turnJob(deps, run)),
    ),
  );

  const events = createBacklog(deps.runs, 'notify_due_at', async (rows) => {
    for (const run of rows) {
      try {
        await deps.notifier.notify(run, { told: () => markNotified(deps, run) });
      } catch (error) {
        // One row must not keep the others waiting.
        deps.log.error({ task_id: run.task_id, err: error }, 'deliveries not made; trying again');
      }
    }
    return rows.length;
  });

  return async (overdueMs) => {
    const before = toTimestamp(deps.clock.now() - overdueMs);
    const isAll = overdueMs === 0;
    const queued = await (isAll ? turns.all(FAR) : turns.portion(before, MAX_PER_SWEEP));
    const told = await (isAll ? events.all(before) : events.portion(before, MAX_PER_SWEEP));
    return queued.done + told.done;
  };
}
