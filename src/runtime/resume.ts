import type { Caller } from '../directory/caller.ts';
import { toTimestamp } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { TaskId } from '../platform/task-id.ts';
import { refusalOf } from '../platform/problem.ts';
import { parseInput } from '../platform/validation.ts';
import { isTaken } from './content.ts';
import { contextProblems } from './context-text.ts';
import type { InboundMessage } from './content.ts';
import type { RuntimeBase, RuntimeDependencies } from './dependencies.ts';
import { TaskOver, transition } from './transition.ts';
import { queueTurn } from './queue-turn.ts';
import { readTask } from './read.ts';
import { spendBytes } from './spend.ts';
import { isInterrupted } from './states.ts';
import { storable } from './task-definition.ts';
import { currentStatus } from './task-run.ts';
import type { TaskRun } from './task-run.ts';

/**
 * Takes a follow-up message: a task that waits for its caller goes on with it, and with the new input when there is
 * one. The same message twice is taken once.
 * @param question the sequence of the status that it answers, where it is an answer to that alone.
 * @throws {AppError} what is wrong with the new input; `TASK_NOT_FOUND`; `INVALID_STATE` when the task is over or does not wait for the caller.
 */
export async function resume(
  deps: RuntimeDependencies,
  caller: Caller,
  task_id: TaskId,
  message: InboundMessage,
  input?: JsonObject,
  question?: number,
): Promise<TaskRun> {
  const known = await readTask(deps, caller, task_id);
  if (!caller.scopes.includes('tasks:write')) {
    throw new AppError('FORBIDDEN', 'this credential lacks the scope tasks:write');
  }
  if (!isTaken(known.messages, message) && !isInterrupted(known.state)) throw notWaiting(known);
  const parsed = input && newInput(deps, known.task_type, input);
  if (!isTaken(known.messages, message))
    await spendBytes(deps, known.organization_id, { message, parsed }, known.is_read);
  try {
    const run = await transition(deps, task_id, (stored) => {
      if (isTaken(stored.messages, message)) return undefined;
      if (!isInterrupted(stored.state)) throw notWaiting(stored);
      if (question !== undefined && currentStatus(stored).sequence !== question) throw notWaiting(stored);
      return {
        event: { state: 'submitted', message: 'input received' },
        patch: {
          turn: stored.turn + 1,
          run_due_at: toTimestamp(deps.clock.now()),
          messages: [...stored.messages, message],
          ...(parsed !== undefined && { input: parsed }),
        },
      };
    });
    if (run === undefined) return await readTask(deps, caller, task_id);
    await queueTurn(deps, run);
    return run;
  } catch (error) {
    if (error instanceof TaskOver) throw notWaiting(error.run);
    throw error;
  }
}

/** What a caller sends anew is checked as it was at first; the keys that concern the first call alone are left out. */
function newInput(deps: RuntimeDependencies, task_type: string, input: JsonObject): JsonObject {
  const definition = deps.tasks.get(task_type);
  if (definition === undefined) throw new Error(`no task is called ${task_type}`);
  const parsed = parseInput(definition.input, input) as JsonObject;
  const { idempotency_key: _key, context, push_notification_config: _config, ...rest } = parsed;
  // It is the first call's that is echoed, and this one is kept in its message all the same.
  const problems = contextProblems({ context });
  if (problems.length > 0) throw refusalOf(problems);
  return storable(definition, rest);
}

function notWaiting(run: TaskRun): AppError {
  return new AppError('INVALID_STATE', `the task is ${run.state} and takes no further message; begin a new task`, {
    field: 'task_id',
  });
}

/**
 * Wakes a task that waits for somebody else than its caller, such as an approval: its run becomes owed again.
 * `interrupted`: also one that waits for its caller, since what it waited for has been settled without them. Answers whether there was
 * something to wake.
 */
export async function wake(
  deps: RuntimeBase,
  task_id: TaskId,
  { interrupted = false }: { interrupted?: boolean } = {},
): Promise<boolean> {
  const outcome = await deps.runs.update(task_id, (stored) => {
    if ((isInterrupted(stored.state) && !interrupted) || stored.expires_at !== null) return undefined;
    return { ...stored, turn: stored.turn + 1, run_due_at: toTimestamp(deps.clock.now()), waits_for: null };
  });
  if (outcome?.changed !== true) return false;
  await queueTurn(deps, outcome.row);
  return true;
}
