import type { Caller } from '../directory/caller.ts';
import { toTimestamp } from '../platform/clock.ts';
import { DuplicateError } from '../platform/store/collection.ts';
import { AppError } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { refusalOf } from '../platform/problem.ts';
import { TaskId } from '../platform/task-id.ts';
import type { InboundMessage } from './content.ts';
import { kept } from './context-text.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { TaskOver, transition } from './transition.ts';
import type { NewEvent, Patch } from './transition.ts';
import { insertRun, replay } from './insert-run.ts';
import type { Submitted } from './insert-run.ts';
import { newRun } from './new-run.ts';
import { queueTurn } from './queue-turn.ts';
import { queueing } from './queue-room.ts';
import { spendBytes, spending } from './spend.ts';
import { isInterrupted } from './states.ts';
import { requestOf } from './request-of.ts';
import { assertAcceptable, callContext, draftRun, told } from './submit.ts';
import type { Submission } from './submission.ts';
import type { QueuedTask } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';

/** The `task_type` of a conversation that has not named its task yet. */
export const AWAITING_SKILL = 'unaddressed';

/** How long a conversation waits for its task to be named. */
const TIMEOUT_MS = 24 * 3_600_000;

export interface Question {
  caller: Caller;
  message: InboundMessage;
  context_id?: string;
  /** What the caller is asked, for people and for programs. */
  text: string;
  data: JsonObject;
}

/**
 * Begins a conversation with a message that names no task: it waits for the caller, whose next message names one
 * ({@link address}). The same message again is the same conversation.
 * @throws {AppError} `FORBIDDEN`.
 */
export async function askForSkill(deps: RuntimeDependencies, question: Question): Promise<Submitted> {
  const { caller, message, text, data } = question;
  if (!caller.scopes.includes('tasks:read')) {
    throw new AppError('FORBIDDEN', 'this credential lacks the scope tasks:read');
  }
  const nowMs = deps.clock.now();
  const timestamp = toTimestamp(nowMs);
  const run = newRun({
    task_id: TaskId.parse(deps.ids.newId()),
    organization_id: caller.organization_id,
    principal_id: caller.principal_id,
    task_type: AWAITING_SKILL,
    context_id: question.context_id ?? deps.ids.newId(),
    message_key: message.message_key ?? message.message_id,
    messages: [message],
    state: 'input-required',
    events: [{ kind: 'status', sequence: 1, state: 'input-required', timestamp, message: text, data }],
    created_at: timestamp,
    expires_at: toTimestamp(nowMs + TIMEOUT_MS),
  });
  return (await insertRun(deps, run)) ?? { run, replayed: false };
}

/**
 * Names the task of a waiting conversation: from here on it is a run of that task, under the id it has.
 * @throws {AppError} as `submit` does; `INVALID_STATE` when the conversation does not wait any more; `CONFLICT` when the
 * idempotency key was taken by another task.
 */
export async function selectSkill(
  deps: RuntimeDependencies,
  task_id: TaskId,
  submission: Submission,
): Promise<TaskRun> {
  const { definition, input } = await requestOf(deps, submission);
  const { problems, ...drafted } = await draftRun(deps, submission, definition, input);
  const draft = { ...drafted.draft, task_id };
  const context = callContext(deps, submission.caller, draft);
  const earlier = await replay(deps, draft);
  if (earlier !== undefined) throw takenBy(earlier.run);
  if (definition.mode === 'inline') {
    if (problems.length > 0) throw refusalOf(problems, submission.input);
    const { result, message } = await definition.answer(input, context);
    return become(deps, draft, { state: 'completed', message, ...told(result) }, { run_due_at: null });
  }
  await assertAcceptable(definition, { submission, input, problems }, context);
  const message = `${definition.title} submitted`;
  return queueing(deps, draft.organization_id, async (assertRoom) => {
    await assertRoom();
    return spending(deps, definition.makes?.(input), draft.organization_id, async () => {
      const outcome = await become(deps, draft, { state: 'submitted', message }, owed(deps, definition, input));
      return { isStored: true, outcome };
    });
  });
}

/** What makes a worker take the run up. */
function owed(deps: RuntimeDependencies, { name, exclusive }: QueuedTask, input: JsonObject): Patch {
  return {
    run_due_at: toTimestamp(deps.clock.now()),
    is_unbegun: true,
    expires_at: null,
    ...(exclusive && { exclusive_key: `${name}:${exclusive.key(input)}`, exclusive_live: true }),
  };
}

async function become(deps: RuntimeDependencies, draft: TaskRun, status: NewEvent, more: Patch): Promise<TaskRun> {
  const {
    task_id,
    task_type,
    is_read,
    input,
    context,
    context_text,
    idempotency_key,
    request_hash,
    registrations,
    webhook_seed,
  } = draft;
  await spendBytes(deps, draft.organization_id, draft, draft.is_read);
  try {
    const run = await transition(deps, task_id, (stored) => {
      if (stored.task_type !== AWAITING_SKILL || !isInterrupted(stored.state)) throw notWaiting(stored);
      return {
        event: status,
        patch: {
          task_type,
          ...(is_read && { is_read }),
          input,
          ...kept({ context, context_text }),
          idempotency_key,
          idempotency_live: idempotency_key !== null,
          request_hash,
          registrations,
          ...(webhook_seed !== undefined && { webhook_seed }),
          messages: [...stored.messages, ...draft.messages],
          turn: stored.turn + 1,
          notified_sequence: stored.events.length + 1,
          ...more,
        },
      };
    });
    if (run === undefined) throw new AppError('TASK_NOT_FOUND', 'no task of yours has this id', { field: 'task_id' });
    await queueTurn(deps, run);
    return run;
  } catch (error) {
    if (error instanceof TaskOver) throw notWaiting(error.run);
    if (!(error instanceof DuplicateError)) throw error;
    throw new AppError('CONFLICT', 'another task is at work on the same request', { cause: error });
  }
}

function takenBy({ task_id }: TaskRun): AppError {
  return new AppError('CONFLICT', 'this request was taken before, as another task', {
    field: 'idempotency_key',
    details: { task_id },
  });
}

function notWaiting(run: TaskRun): AppError {
  return new AppError('INVALID_STATE', `the task is ${run.state} and takes no other task's name; begin a new task`, {
    field: 'task_id',
  });
}
