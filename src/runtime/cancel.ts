import type { Caller } from '../directory/caller.ts';
import { toTimestamp } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { TaskCommitted, TaskOver, transition } from './transition.ts';
import { queueTurn } from './queue-turn.ts';
import { readTask } from './read.ts';
import { currentStatus } from './task-run.ts';
import type { TaskRun } from './task-run.ts';

/**
 * Cancels a task from any process, unless it has passed its point of no return (rule T1.no-return): then nothing changes. A
 * worker in the middle of it is refused at its next write; what it had begun is undone by a turn of its own, owed in the same write.
 * @throws {AppError} `TASK_NOT_FOUND`; `NOT_CANCELLABLE` when the task is over, and when it is committed, with the instant in
 * `details.since`.
 */
export async function cancel(deps: RuntimeDependencies, caller: Caller, task_id: TaskId): Promise<TaskRun> {
  const known = await readTask(deps, caller, task_id);
  if (!caller.scopes.includes('tasks:write')) {
    throw new AppError('FORBIDDEN', 'this credential lacks the scope tasks:write');
  }
  return cancelRun(deps, known, 'canceled by the caller');
}

/**
 * The same for the seller, who tells the buyer why; whoever has canceled it so already is answered again.
 * @throws {AppError} as {@link cancel}.
 */
export async function cancelForSeller(deps: RuntimeDependencies, task_id: TaskId, reason: string): Promise<TaskRun> {
  const known = await knownTask(deps, task_id);
  const message = `canceled by the seller: ${reason}`;
  if (known.state === 'canceled' && currentStatus(known).message === message) return known;
  return cancelRun(deps, known, message);
}

/** Anybody's task. @throws {AppError} `TASK_NOT_FOUND`. */
export async function knownTask({ runs }: Pick<RuntimeDependencies, 'runs'>, task_id: TaskId): Promise<TaskRun> {
  const run = await runs.get(task_id);
  if (run === undefined) throw new AppError('TASK_NOT_FOUND', 'no task has this id', { field: 'task_id' });
  return run;
}

async function cancelRun(deps: RuntimeDependencies, known: TaskRun, message: string): Promise<TaskRun> {
  const { task_id } = known;
  const definition = deps.tasks.get(known.task_type);
  const owesUndo = definition?.mode === 'queued' && definition.undo !== undefined;
  try {
    const run = await transition(deps, task_id, (stored) => ({
      event: { state: 'canceled', message },
      patch: {
        turn: stored.turn + 1,
        faults: 0,
        run_due_at: owesUndo ? toTimestamp(deps.clock.now()) : null,
      },
    }));
    if (run === undefined) return await knownTask(deps, task_id);
    await queueTurn(deps, run);
    return run;
  } catch (error) {
    if (error instanceof TaskCommitted) throw underWay(error);
    if (!(error instanceof TaskOver)) throw error;
    throw new AppError('NOT_CANCELLABLE', `the task is ${error.run.state} and cannot be canceled`, {
      field: 'task_id',
      cause: error,
    });
  }
}

function underWay(cause: TaskCommitted): AppError {
  const { since } = cause;
  return new AppError(
    'NOT_CANCELLABLE',
    `the change is on its way since ${since} and cannot be called back; its outcome will be told`,
    { field: 'task_id', details: { since }, cause },
  );
}
