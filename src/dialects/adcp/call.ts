import { AppError, invalidRequest } from '../../platform/errors.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { recordRefusal } from '../../platform/security/record-refusal.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { parseInput } from '../../platform/validation.ts';
import { echoed } from '../../runtime/context-text.ts';
import { isIdle } from '../../runtime/follow.ts';
import type { Submitted } from '../../runtime/insert-run.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Spoken } from '../../runtime/spoken.ts';
import { answerOf, submittedAnswer, translating } from './answers.ts';
import type { AnswerDependencies, PublicAnswer } from './answers.ts';
import { enveloped, essenceOf } from './envelope.ts';
import { failedAnswer, publicErrorOf } from './errors.ts';
import { goneOnWith } from './goes-on.ts';
import { isOfSandbox } from './sandbox.ts';
import type { SandboxSources } from './sandbox.ts';
import type { PublicCall } from './public-call.ts';
import { isFrom, releaseOr, SERVED_BY_DEFAULT, servedRelease } from './release.ts';
import type { ReleaseChoice, Served } from './release.ts';
import type { Translator } from './translator.ts';
import { pushAsked } from './webhooks/asked-webhooks.ts';

export interface CallDependencies extends AnswerDependencies, SandboxSources {
  runtime: Runtime;
  releases: ReleaseChoice;
  security: SecurityLog;
  /** A random id. */
  newId: () => string;
  /** How long an answer waits for the end of the work, in milliseconds. */
  waitMs: number;
}

/**
 * Answers a public call: with the end of the work, or, after a while, with the id it can be asked for by. A refusal is an answer,
 * too, and its task is kept.
 * @throws {AppError} `UNAUTHORIZED` and `RATE_LIMITED`, which every wire has its own form for. Faults.
 */
export async function answerCall(deps: CallDependencies, call: PublicCall): Promise<PublicAnswer> {
  const { caller, skill, request } = call;
  let served = SERVED_BY_DEFAULT;
  try {
    served = servedRelease(request, deps.releases);
    const translator = known(deps, skill, served);
    const earlier = await goneOnWith(deps.runtime, { ...call, task: translator.task, mutates: translator.mutates });
    return await finished(deps, call, served, earlier ?? (await submitted(deps, call, translator, served)));
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'UNAUTHORIZED' || error.code === 'RATE_LIMITED') throw error;
    recordRefusal(deps.security, error, { subject: caller.principal_id, organization_id: caller.organization_id });
    const { context_id, contextText: context_text, message } = call;
    const { context } = request;
    const carried = isTakenAsContext(context) ? { context, context_text } : {};
    const run = await deps.runtime.keepRefusal({
      ...{ caller, error, context_id, message, ...carried },
      spoken: spokenOf(skill, served),
    });
    return answerOf(deps, run, { caller, served });
  }
}

/** A refusal that left no task, in the release that the request can be answered in. */
export function refusedAnswer(error: AppError, request: JsonObject, releases: ReleaseChoice): JsonObject {
  const served = releaseOr(SERVED_BY_DEFAULT, request, releases);
  const { context } = request;
  const around = { served, ...(isTakenAsContext(context) && { context }) };
  return enveloped(failedAnswer(publicErrorOf(error, served.release)), around);
}

async function submitted(
  deps: CallDependencies,
  call: PublicCall,
  translator: Translator,
  served: Served,
): Promise<Submitted> {
  const { caller, skill, request, contextText, message, context_id, registrations = [] } = call;
  const parsed = parseInput(translator.input, request);
  const { idempotency_key } = request;
  if (translator.mutates && typeof idempotency_key !== 'string') {
    throw new AppError('INVALID_REQUEST', 'idempotency_key: send a key of your own, new for each new request', {
      field: 'idempotency_key',
    });
  }
  if (translator.mutates) {
    // What a change comes to hangs on how all stands, and that on whether it has been made.
    const keyed = { task_type: translator.task, request: essenceOf(request), idempotency_key: String(idempotency_key) };
    const earlier = await deps.runtime.earlier(caller, keyed);
    if (earlier !== undefined) return earlier;
  }
  const translated = await translator.in(parsed, translating(deps, caller, served));
  const { input, extra, account_id, task, task_id, submitted_message, done, beforehand } = translated;
  const isSandbox = translator.tellsSandbox === true && (await isOfSandbox(deps, caller, request, translated));
  const spoken = {
    ...spokenOf(skill, served),
    ...(account_id !== undefined && { account_id }),
    ...(isSandbox && { sandbox: true as const }),
    ...(extra && { extra }),
    ...(submitted_message !== undefined && { submitted_message }),
  };
  // Of what is answered at once nobody is told: clients send their webhook with every call.
  const isHeard = task === undefined && deps.runtime.tasks.get(translator.task)?.mode === 'queued';
  const push = isHeard ? pushCarriedOver(request, deps.newId) : {};
  return deps.runtime.submit({
    ...{ caller, task_type: task ?? translator.task },
    ...(task_id !== undefined && { task_id }),
    input: { ...input, ...carriedOver(request, task === undefined && translator.mutates), ...push },
    ...(contextText !== undefined && { context_text: contextText }),
    ...(message && { message }),
    ...(context_id !== undefined && { context_id }),
    ...(isHeard && { registrations }),
    ...(done && { done }),
    ...(beforehand && { beforehand }),
    translated: { spoken, request: essenceOf(request) },
  });
}

async function finished(
  deps: CallDependencies,
  { caller, skill, request, contextText: context_text, begun, waitMs = deps.waitMs, signal }: PublicCall,
  served: Served,
  { run, replayed }: Submitted,
): Promise<PublicAnswer> {
  const { context } = request;
  const asking = {
    caller,
    served,
    replayed,
    leavesOut: deps.translators.get(skill)?.leavesOut ?? [],
    ...(context !== undefined && { context: echoed({ context, context_text }) }),
  };
  if (run.spoken?.was_submitted === true) return submittedAnswer(run, asking);
  begun?.(run);
  const shown = await deps.runtime.waitWhileInHand(run, waitMs, signal);
  if (isIdle(shown)) return answerOf(deps, shown, asking);
  return submittedAnswer(await deps.runtime.noteSubmitted(shown), asking);
}

/** The fields of the envelope that are the same in our own words. */
function carriedOver(request: JsonObject, mutates: boolean): JsonObject {
  const { context, idempotency_key } = request;
  return {
    ...(context !== undefined && { context }),
    ...(mutates && { idempotency_key }),
  };
}

/** @throws {AppError} `INVALID_REQUEST` for one that is no object; what is wrong in it, the task says. */
function pushCarriedOver({ push_notification_config: config }: JsonObject, newId: () => string): JsonObject {
  if (config === undefined || config === null) return {};
  if (!isObject(config)) throw invalidRequest('push_notification_config', 'send an object with a url, or leave it out');
  return { push_notification_config: pushAsked(config, newId) };
}

/** A context that is none is refused, and is not told back. */
function isTakenAsContext(context: unknown): context is JsonObject {
  return typeof context === 'object' && context !== null && !Array.isArray(context);
}

function known({ translators }: CallDependencies, skill: string, { release }: Served): Translator {
  const isOf = ({ since }: Translator) => since === undefined || isFrom(release, since);
  const found = translators.get(skill);
  if (found !== undefined && isOf(found)) return found;
  const names = [...translators.values()].flatMap((one) => (isOf(one) ? [one.skill] : [])).join(', ');
  throw new AppError(
    'UNSUPPORTED_TASK',
    `this agent has no task ${JSON.stringify(skill.slice(0, 80))} in this protocol; it has ${names}`,
    { field: 'skill' },
  );
}

function spokenOf(skill: string, { release, alias }: Served): Spoken {
  return { dialect: 'adcp', skill: skill.slice(0, 128), release, ...(alias !== undefined && { alias }) };
}
