import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { loggedFault, withFault } from './fault-log.ts';
import { queueTurn } from './queue-turn.ts';
import { callContext } from './submit.ts';
import type { QueuedTask } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';

/**
 * How long a turn that was at work when its task ended may go on, in milliseconds. What it still does is undone by
 * itself when its next write is refused; what it does just before it is killed is undone by a second undo after this.
 */
export const LINGER_MS = 60_000;

/** Longest wait between two tries of an undo that fails. Tries go on while the row is kept. */
const MAX_BACKOFF_MS = 3_600_000;

/**
 * Undoes what a task that was canceled or failed has begun. `run` says that it is over; until the undo is done, and for
 * {@link LINGER_MS} after the end, the row owes it.
 */
export async function undo(deps: RuntimeDependencies, definition: QueuedTask, run: TaskRun): Promise<void> {
  const { organization_id, principal_id, task_id } = run;
  const caller = { organization_id, principal_id, scopes: ['tasks:read', 'tasks:write'] as const };
  try {
    await definition.undo?.(run.input, { ...callContext(deps, caller, run), run });
  } catch (error) {
    const faults = run.faults + 1;
    const told = withFault(run, loggedFault(deps, { ...run, faults }, 'undo', error));
    return owe(deps, run, deps.clock.now() + Math.min(1000 * 2 ** run.faults, MAX_BACKOFF_MS), { faults, ...told });
  }
  const untilMs = fromTimestamp(run.updated_at) + LINGER_MS;
  if (run.run_due_at === null) return;
  if (deps.clock.now() < untilMs) return owe(deps, run, untilMs, { faults: 0 });
  await deps.runs.update(task_id, (stored) =>
    stored.turn === run.turn && stored.run_due_at !== null ? { ...stored, run_due_at: null } : undefined,
  );
}

/** A later turn than this one, owed already, does what this one would. */
async function owe(
  deps: RuntimeDependencies,
  run: TaskRun,
  dueMs: number,
  told: Pick<TaskRun, 'faults' | 'fault_log' | 'has_faults'>,
): Promise<void> {
  const outcome = await deps.runs.update(run.task_id, (stored) =>
    stored.turn === run.turn
      ? { ...stored, turn: stored.turn + 1, run_due_at: toTimestamp(dueMs), ...told }
      : undefined,
  );
  if (outcome?.changed === true) await queueTurn(deps, outcome.row);
}
