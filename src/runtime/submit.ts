import type { Caller } from '../directory/caller.ts';
import { toTimestamp } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { TaskId } from '../platform/task-id.ts';
import { parseInput, withIssues } from '../platform/validation.ts';
import type { InboundMessage } from './content.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { insertRun, replay, replayMessage } from './insert-run.ts';
import type { Submitted } from './insert-run.ts';
import { newRun } from './new-run.ts';
import type { RegistrationRequest } from './notifier.ts';
import { queueTurn } from './queue-turn.ts';
import type { Registration } from './registration.ts';
import { requestHash } from './request-hash.ts';
import { isRead, storable } from './task-definition.ts';
import type { CallContext, InlineTask, QueuedTask, TaskDefinition } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';

/** How long an answer given at once can be read again (rule T8). */
const INLINE_RETENTION_MS = 3_600_000;

/** One call of a task, on whichever wire it came. */
export interface Submission {
  caller: Caller;
  task_type: string;
  /** Default: a random one. */
  task_id?: TaskId;
  /** As sent; parsed here. */
  input: unknown;
  /** The message it came in; repeated, it is the same task (rule T6). */
  message?: InboundMessage;
  /** What makes two submissions the same message, where that is not the message itself. */
  message_key?: string;
  context_id?: string;
  /** Registrations made through the wire's own mechanism. */
  registrations?: RegistrationRequest[];
}

/**
 * Takes a call: answers an inline task, or stores and queues a queued one. A refusal throws and leaves nothing behind.
 * @throws {AppError} for every refusal, with the field it concerns.
 */
export async function submit(deps: RuntimeDependencies, submission: Submission): Promise<Submitted> {
  const { definition, input } = resolve(deps, submission);
  const draft = await draftRun(deps, submission, definition, input);
  const context = callContext(deps, submission.caller, draft.task_id);
  return definition.mode === 'inline'
    ? answerInline(deps, definition, input, draft, context)
    : acceptQueued(deps, definition, input, draft, context);
}

/**
 * The task that is asked for, and its input, parsed.
 * @throws {AppError} `UNSUPPORTED_TASK`, `FORBIDDEN`, or what is wrong with the input.
 */
export function resolve(
  deps: RuntimeDependencies,
  { task_type, caller, input }: Submission,
): { definition: TaskDefinition; input: JsonObject } {
  const definition = deps.tasks.get(task_type);
  if (definition === undefined) throw unknownTask(deps, task_type);
  if (!caller.scopes.includes(definition.scope)) {
    throw new AppError(
      'FORBIDDEN',
      `this credential lacks the scope ${definition.scope} that ${definition.name} needs`,
    );
  }
  return { definition, input: parsed(deps, definition, input) };
}

/** @throws {AppError} naming all that is wrong, by the schema and in the parts that fit it (rule B12). */
function parsed(deps: RuntimeDependencies, definition: TaskDefinition, input: unknown): JsonObject {
  try {
    return parseInput(definition.input, input) as JsonObject;
  } catch (error) {
    if (!(error instanceof AppError) || definition.mode !== 'queued') throw error;
    throw withIssues(error, definition.checkParts?.(input, deps.clock.now()) ?? []);
  }
}

/** @throws {AppError} `UNSUPPORTED_TASK` listing the tasks there are. */
function unknownTask(deps: RuntimeDependencies, task_type: string): AppError {
  const known = [...deps.tasks.keys()].join(', ');
  return new AppError(
    'UNSUPPORTED_TASK',
    `no task is called ${JSON.stringify(task_type.slice(0, 80))}; use one of ${known}`,
    {
      field: 'skill',
    },
  );
}

export function callContext(deps: RuntimeDependencies, caller: Caller, task_id: TaskId): CallContext {
  return {
    caller,
    log: deps.log.child({ task_id }),
    now: () => deps.clock.now(),
    newId: () => deps.ids.newId(),
  };
}

export async function draftRun(
  deps: RuntimeDependencies,
  submission: Submission,
  definition: TaskDefinition,
  parsed: JsonObject,
): Promise<TaskRun> {
  const { caller, message } = submission;
  const { idempotency_key, context, push_notification_config: _config, ...input } = parsed;
  const task_id = submission.task_id ?? TaskId.parse(deps.ids.newId());
  const created_at = toTimestamp(deps.clock.now());
  return newRun({
    task_id,
    organization_id: caller.organization_id,
    principal_id: caller.principal_id,
    task_type: definition.name,
    ...(isRead(definition) && { is_read: true }),
    context_id: submission.context_id ?? deps.ids.newId(),
    message_key: submission.message_key ?? message?.message_key ?? message?.message_id ?? task_id,
    messages: message === undefined ? [] : [message],
    input: storable(definition, input),
    ...(context !== undefined && { context }),
    ...(typeof idempotency_key === 'string' && { idempotency_key, idempotency_live: true }),
    request_hash: requestHash(definition.name, submission.input as JsonObject),
    registrations: await register(deps, submission, definition, parsed),
    created_at,
  });
}

/** The channels a call registered for news: in the task's input, and by the wire's own mechanism (rule C.events.1). */
async function register(
  deps: RuntimeDependencies,
  submission: Submission,
  definition: TaskDefinition,
  parsed: JsonObject,
): Promise<Registration[]> {
  // What a wire's own mechanism carries is a client's default for every call, no wish to be told of this one (rule W3).
  const requests = definition.mode === 'inline' ? [] : [...(submission.registrations ?? [])];
  const field = 'push_notification_config';
  if (parsed[field] !== undefined) requests.push({ channel: 'mcp', config: parsed[field], field });
  return Promise.all(requests.map((request) => deps.notifier.register(request, definition)));
}

async function answerInline(
  deps: RuntimeDependencies,
  definition: InlineTask,
  input: JsonObject,
  draft: TaskRun,
  context: CallContext,
): Promise<Submitted> {
  const { result, message } = await definition.answer(input, context);
  const nowMs = deps.clock.now();
  const timestamp = toTimestamp(nowMs);
  const run: TaskRun = {
    ...draft,
    state: 'completed',
    events: [{ kind: 'status', sequence: 1, state: 'completed', timestamp, message, data: result }],
    idempotency_live: false,
    updated_at: timestamp,
    expires_at: toTimestamp(nowMs + INLINE_RETENTION_MS),
  };
  return (await insertRun(deps, run)) ?? { run, replayed: false };
}

async function acceptQueued(
  deps: RuntimeDependencies,
  definition: QueuedTask,
  input: JsonObject,
  draft: TaskRun,
  context: CallContext,
): Promise<Submitted> {
  const earlier = await replay(deps, draft);
  if (earlier !== undefined) return earlier;
  try {
    await definition.check(input, context);
  } catch (error) {
    // The same request may have been taken since we looked, and be the reason why this one is refused.
    const taken = (await replay(deps, draft)) ?? (await replayMessage(deps, draft));
    if (taken !== undefined) return taken;
    throw error;
  }
  const timestamp = draft.created_at;
  const { exclusive } = definition;
  const message = `${definition.title} submitted`;
  const run: TaskRun = {
    ...draft,
    events: [{ kind: 'status', sequence: 1, state: 'submitted', timestamp, message }],
    run_due_at: timestamp,
    ...(exclusive && { exclusive_key: `${definition.name}:${exclusive.key(input)}`, exclusive_live: true }),
  };
  const taken = await insertRun(deps, run, exclusive);
  if (taken !== undefined) return taken;
  deps.log.info({ task_id: run.task_id, task_type: run.task_type, state: run.state }, 'task submitted');
  await queueTurn(deps, run);
  return { run, replayed: false };
}
