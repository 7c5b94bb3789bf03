import type { Caller } from '../../directory/caller.ts';
import { AppError } from '../../platform/errors.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { TaskRun } from '../../runtime/task-run.ts';

/** A task of the caller's. Undefined: there is none of this id, or it is another's, which is not told apart. */
export async function ownTask(
  runtime: Pick<Runtime, 'read'>,
  caller: Caller,
  task_id: TaskId,
): Promise<TaskRun | undefined> {
  try {
    return await runtime.read(caller, task_id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'TASK_NOT_FOUND') return undefined;
    throw error;
  }
}
