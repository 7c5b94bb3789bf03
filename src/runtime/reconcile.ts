import { toTimestamp } from '../platform/clock.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { settle } from './move.ts';

const BATCH = 200;

/**
 * Queues again what the store says is owed: turns without a job, and events whose deliveries were never made. Harmless
 * for what is in hand already, since ids derive from the rows.
 * @param overdueMs how long something must have been owed; 0 after the queue lost its memory.
 */
export async function reconcileRuns(deps: RuntimeDependencies, overdueMs: number): Promise<number> {
  const before = toTimestamp(deps.clock.now() - overdueMs);
  return (await requeueTurns(deps, before)) + (await renotify(deps, before));
}

async function requeueTurns(deps: RuntimeDependencies, before: string): Promise<number> {
  let found = 0;
  let after: string | undefined;
  do {
    const page = await deps.runs.find({
      where: { run_due_at: { lte: before, gt: '' } },
      sort: { field: 'run_due_at', direction: 'asc' },
      limit: BATCH,
      ...(after !== undefined && { after }),
    });
    const jobs = page.rows.map(({ task_id, turn }) => ({ id: `${task_id}-${turn}`, data: { task_id, turn } }));
    if (jobs.length > 0) await deps.queue.addMany(jobs);
    found += jobs.length;
    after = page.cursor;
  } while (after !== undefined);
  return found;
}

async function renotify(deps: RuntimeDependencies, before: string): Promise<number> {
  let found = 0;
  for (;;) {
    const { rows } = await deps.runs.find({
      where: { notify_due_at: { lte: before, gt: '' } },
      sort: { field: 'notify_due_at', direction: 'asc' },
      limit: BATCH,
    });
    for (const run of rows) {
      await deps.notifier.notify(run);
      await settle(deps, run);
    }
    found += rows.length;
    if (rows.length < BATCH) return found;
  }
}
