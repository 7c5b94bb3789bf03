import { toTimestamp } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { TaskId } from '../platform/task-id.ts';
import { knownTask } from './cancel.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { queueTurn } from './queue-turn.ts';
import type { TaskRun } from './task-run.ts';

/**
 * Brings forward the turn of a task that is owed at a later time: after a fault, or after an ad server that did not answer. One that
 * is owed already stays as it is, whoever has it in hand. Faults go on being counted. Repeatable.
 * @throws {AppError} `TASK_NOT_FOUND`; `INVALID_STATE` for a task that is over, since its caller was told, and for one that waits for
 * somebody and not for a time.
 */
export async function nudge(deps: RuntimeDependencies, task_id: TaskId): Promise<TaskRun> {
  const now = toTimestamp(deps.clock.now());
  const outcome = await deps.runs.update(task_id, (run) => {
    const { run_due_at, turn } = run;
    if (run.expires_at !== null || run_due_at === null || run_due_at <= now) return undefined;
    // The job of the later turn is stale by it.
    return { ...run, turn: turn + 1, run_due_at: now };
  });
  const run = outcome?.row ?? (await knownTask(deps, task_id));
  if (run.expires_at !== null)
    throw refusal(`the task is ${run.state}: its caller was told, and it is never done again`);
  if (run.run_due_at === null) throw refusal(`the task is ${run.state} and owes no turn: it waits for somebody`);
  await queueTurn(deps, run);
  return run;
}

function refusal(message: string): AppError {
  return new AppError('INVALID_STATE', message, { field: 'task_id' });
}
