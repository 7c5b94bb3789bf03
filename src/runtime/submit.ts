import type { Caller } from '../directory/caller.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Problem } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { apart } from '../platform/json-text.ts';
import { problemsFrom, refusalOf } from '../platform/problem.ts';
import { TaskId } from '../platform/task-id.ts';
import { inSpan } from '../platform/telemetry/spans.ts';
import { contextProblems, kept } from './context-text.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { putIntoWords } from './in-words.ts';
import { insertRun, replay, replayMessage } from './insert-run.ts';
import type { Submitted } from './insert-run.ts';
import { newRun } from './new-run.ts';
import { requestOf } from './request-of.ts';
import type { Submission } from './submission.ts';
import type { RegistrationRequest } from './notifier.ts';
import { openPublish, queueTurn } from './queue-turn.ts';
import type { Registration } from './registration.ts';
import { requestHash } from './request-hash.ts';
import { queueing } from './queue-room.ts';
import type { AssertRoom } from './queue-room.ts';
import { spending } from './spend.ts';
import { inDialectOf } from './spoken.ts';
import { isRead, storable } from './task-definition.ts';
import type { CallContext, InlineTask, QueuedTask, TaskDefinition } from './task-definition.ts';
import type { StatusEvent, TaskRun } from './task-run.ts';
import { append } from './transition.ts';

/** How long an answer given at once can be read again (rule T8). */
export const INLINE_RETENTION_MS = 3_600_000;

/**
 * Takes a call: answers an inline task, or stores and queues a queued one. A refusal throws and leaves nothing behind.
 * @throws {AppError} for every refusal, with the field it concerns.
 */
export function submit(deps: RuntimeDependencies, submission: Submission): Promise<Submitted> {
  const attributes = () => (deps.tasks.has(submission.task_type) ? { task_type: submission.task_type } : {});
  return inSpan('task submit', { attributes }, async (span) => {
    const submitted = await taken(deps, submission);
    span.note({ task_id: submitted.run.task_id, replayed: submitted.replayed });
    return submitted;
  });
}

async function taken(deps: RuntimeDependencies, submission: Submission): Promise<Submitted> {
  const { definition, input } = await requestOf(deps, submission);
  const { draft, problems } = await draftRun(deps, submission, definition, input);
  const context = callContext(deps, submission.caller, draft);
  if (definition.mode === 'inline') {
    if (problems.length > 0) throw refusalOf(problems, submission.input);
    return answerInline(deps, definition, input, draft, context);
  }
  if (submission.done !== undefined) return answerDone(deps, submission.done, draft, problems);
  return queueing(deps, draft.organization_id, (assertRoom) =>
    acceptQueued(deps, definition, { submission, input, draft, problems, assertRoom }, context),
  );
}

export function callContext(
  deps: RuntimeDependencies,
  caller: Caller,
  { task_id, spoken }: Pick<TaskRun, 'task_id' | 'spoken'>,
): CallContext {
  return {
    caller,
    account_id: spoken?.account_id,
    dialect: spoken?.dialect,
    said: spoken?.extra,
    log: deps.log.child({ task_id }),
    now: () => deps.clock.now(),
    newId: () => deps.ids.newId(),
  };
}

/** The run as it would be stored, and what is wrong with the registrations and secrets that came along: it is not stored then. */
export async function draftRun(
  deps: RuntimeDependencies,
  submission: Submission,
  definition: TaskDefinition,
  parsed: JsonObject,
): Promise<{ draft: TaskRun; problems: readonly Problem[] }> {
  const { caller, message } = submission;
  const problems: Problem[] = [];
  const registrations: Registration[] = [];
  const { idempotency_key, context, push_notification_config: _config, ...input } = parsed;
  const task_id = submission.task_id ?? TaskId.parse(deps.ids.newId());
  const created_at = toTimestamp(deps.clock.now());
  for (const request of registrationsAsked(submission, definition, parsed)) {
    problems.push(
      ...(await problemsFrom(async () => {
        const registration = await deps.notifier.register(request, definition);
        registrations.push({ ...registration, ...inDialectOf(submission.translated?.spoken) });
      })),
    );
  }
  const carried = { context, context_text: submission.context_text };
  problems.push(...contextProblems(carried));
  let stored = input;
  problems.push(
    ...(await problemsFrom(() => {
      stored = storable(definition, input);
    })),
  );
  const draft = newRun({
    task_id,
    organization_id: caller.organization_id,
    principal_id: caller.principal_id,
    task_type: definition.name,
    ...(isRead(definition) && { is_read: true }),
    context_id: submission.context_id ?? deps.ids.newId(),
    message_key: submission.message_key ?? message?.message_key ?? message?.message_id ?? task_id,
    messages: message === undefined ? [] : [message],
    input: stored,
    ...kept(carried),
    ...(typeof idempotency_key === 'string' && { idempotency_key, idempotency_live: true }),
    request_hash: requestHash(definition.name, submission.translated?.request ?? (submission.input as JsonObject)),
    ...(submission.translated && { spoken: submission.translated.spoken }),
    registrations,
    // One may be registered later.
    ...(definition.mode === 'queued' && { webhook_seed: deps.ids.newId() }),
    created_at,
  });
  return { draft, problems };
}

/**
 * The channels a call asks for news on: in the task's input, and by the wire's own mechanism (rule C.events.1). What that
 * carries is a client's default for every call, no wish to be told of one that is answered at once (rule W3.configuration).
 */
function registrationsAsked(
  submission: Submission,
  { mode }: TaskDefinition,
  parsed: JsonObject,
): RegistrationRequest[] {
  const registrations = mode === 'inline' ? [] : (submission.registrations ?? []);
  const field = 'push_notification_config';
  const config = parsed[field];
  return [...registrations, ...(config === undefined ? [] : [{ channel: 'mcp' as const, config, field }])];
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
    events: [{ kind: 'status', sequence: 1, state: 'completed', timestamp, message, ...told(result) }],
    idempotency_live: false,
    updated_at: timestamp,
    expires_at: toTimestamp(nowMs + INLINE_RETENTION_MS),
  };
  return (await insertRun(deps, run)) ?? { run, replayed: false };
}

/** A change that needs none is over as it is taken, and nobody is told of it but who asks. */
async function answerDone(
  deps: RuntimeDependencies,
  { result, message }: NonNullable<Submission['done']>,
  draft: TaskRun,
  problems: readonly Problem[],
): Promise<Submitted> {
  const earlier = await replay(deps, draft);
  if (earlier !== undefined) return earlier;
  if (problems.length > 0) throw refusalOf(problems, draft.input);
  const begun = { ...draft, registrations: [] };
  const event = { state: 'completed' as const, message, ...told(result) };
  const { told: words } = await putIntoWords(deps, begun, event);
  const run = append(begun, { ...event, ...(words && { told: words }) }, deps.clock.now());
  return (await insertRun(deps, run)) ?? { run, replayed: false };
}

/** An answer as the content of a status: in it, the `context` of other tasks is told as it was written (rule W19). */
export function told(result: JsonObject): Pick<StatusEvent, 'data' | 'data_texts'> {
  const { value, texts } = apart(result);
  return { data: value, ...(texts && { data_texts: texts }) };
}

/** A call that is to be stored. */
interface Asked {
  submission: Submission;
  input: JsonObject;
  draft: TaskRun;
  /** Known before it is checked. */
  problems: readonly Problem[];
  assertRoom: AssertRoom;
}

async function acceptQueued(
  deps: RuntimeDependencies,
  definition: QueuedTask,
  { submission, input, draft, problems, assertRoom }: Asked,
  context: CallContext,
): Promise<Submitted> {
  const earlier = await replay(deps, draft);
  if (earlier !== undefined && problems.length > 0) throw refusalOf(problems, submission.input);
  if (earlier !== undefined) return earlier;
  try {
    await assertAcceptable(definition, { submission, input, problems }, context);
    await assertRoom();
    await submission.beforehand?.();
  } catch (error) {
    // The same request may have been taken since we looked, and be the reason why this one is refused.
    const taken = (await replay(deps, draft)) ?? (await replayMessage(deps, draft));
    if (taken !== undefined) return taken;
    throw error;
  }
  const timestamp = draft.created_at;
  const { exclusive } = definition;
  const publish = openPublish(draft);
  const message = `${definition.title} submitted`;
  const run: TaskRun = {
    ...draft,
    events: [{ kind: 'status', sequence: 1, state: 'submitted', timestamp, message }],
    run_due_at: timestamp,
    is_unbegun: true,
    ...(publish.traceparent !== undefined && { traceparent: publish.traceparent }),
    ...(exclusive && { exclusive_key: `${definition.name}:${exclusive.key(input)}`, exclusive_live: true }),
  };
  const made = definition.makes?.(input);
  const stored = await spending(deps, made, run.organization_id, async () => {
    const outcome = await insertRun(deps, run, exclusive);
    return { isStored: outcome === undefined, outcome };
  });
  if (stored !== undefined) return stored;
  deps.log.info({ task_id: run.task_id, task_type: run.task_type, state: run.state }, 'task submitted');
  await queueTurn(deps, run, publish);
  return { run, replayed: false };
}

/** @throws {AppError} all that is wrong with a request of the right form, at once (rule B12.details). */
export async function assertAcceptable(
  definition: QueuedTask,
  { submission, input, problems }: Omit<Asked, 'draft' | 'assertRoom'>,
  context: CallContext,
): Promise<void> {
  const all = [...problems, ...(await problemsFrom(() => definition.check(input, context)))];
  if (all.length > 0) throw refusalOf(all, submission.input);
}
