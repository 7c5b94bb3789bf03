import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { settle } from './move.ts';

const BATCH = 200;

/** Rows that one sweep looks at, at most; the next one goes on behind them. Bounds what a long backlog costs. */
const MOST_A_SWEEP = 2_000;

/** Later than every timestamp. */
const FAR = '9999';

/**
 * Queues again what the store says is owed: turns without a job, and events whose deliveries were never made. Harmless
 * for what is in hand already, since ids derive from the rows. Answers how many rows there were.
 * @param overdueMs how long something must have been owed; 0 after the queue lost its memory, when everything is looked
 * at in one go, turns of a later time included.
 * @throws when the store or the queue does not answer.
 */
export type ReconcileRuns = (overdueMs: number) => Promise<number>;

export function createReconcileRuns(deps: RuntimeDependencies): ReconcileRuns {
  /** Where the last sweep stopped in a long backlog. */
  let left: { until: string; after: string } | undefined;

  async function requeueTurns(until: string, most: number): Promise<number> {
    const here = left ?? { until, after: undefined };
    let { after }: { after: string | undefined } = here;
    let found = 0;
    do {
      const page = await deps.runs.find({
        where: { run_due_at: { gt: '', lte: here.until } },
        sort: { field: 'run_due_at', direction: 'asc' },
        limit: BATCH,
        ...(after !== undefined && { after }),
      });
      await queueTurns(page.rows);
      found += page.rows.length;
      after = page.cursor;
    } while (after !== undefined && found < most);
    left = after === undefined ? undefined : { until: here.until, after };
    return found;
  }

  async function queueTurns(rows: readonly { task_id: string; turn: number; run_due_at: string | null }[]) {
    const jobs = rows.map(({ task_id, turn, run_due_at }) => ({
      id: `${task_id}-${turn}`,
      data: { task_id, turn },
      options: { delayMs: Math.max(0, fromTimestamp(run_due_at ?? '') - deps.clock.now()) },
    }));
    if (jobs.length > 0) await deps.queue.addMany(jobs);
  }

  async function renotify(before: string): Promise<number> {
    let found = 0;
    let after: string | undefined;
    do {
      const page = await deps.runs.find({
        where: { notify_due_at: { gt: '', lte: before } },
        sort: { field: 'notify_due_at', direction: 'asc' },
        limit: BATCH,
        ...(after !== undefined && { after }),
      });
      for (const run of page.rows) {
        try {
          await deps.notifier.notify(run);
          await settle(deps, run);
        } catch (error) {
          // One row must not keep the others waiting.
          deps.log.error({ task_id: run.task_id, err: error }, 'deliveries not made; trying again');
        }
      }
      found += page.rows.length;
      after = page.cursor;
    } while (after !== undefined && found < MOST_A_SWEEP);
    return found;
  }

  return async (overdueMs) => {
    const before = toTimestamp(deps.clock.now() - overdueMs);
    if (overdueMs > 0) return (await requeueTurns(before, MOST_A_SWEEP)) + (await renotify(before));
    left = undefined;
    return (await requeueTurns(FAR, Infinity)) + (await renotify(before));
  };
}
