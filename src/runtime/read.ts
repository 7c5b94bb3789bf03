import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { RuntimeBase } from './dependencies.ts';
import type { TaskRun } from './task-run.ts';

/**
 * The caller's own task.
 * @throws {AppError} `TASK_NOT_FOUND`, the same for an id that never was and for another organization's (rule T5).
 */
export async function readTask(deps: RuntimeBase, caller: Caller, task_id: TaskId): Promise<TaskRun> {
  if (!caller.scopes.includes('tasks:read')) {
    throw new AppError('FORBIDDEN', 'this credential lacks the scope tasks:read');
  }
  const run = task_id === '' || task_id.length > 512 ? undefined : await deps.runs.get(task_id);
  if (run?.organization_id !== caller.organization_id) {
    throw new AppError('TASK_NOT_FOUND', 'no task of yours has this id', { field: 'task_id' });
  }
  return run;
}
