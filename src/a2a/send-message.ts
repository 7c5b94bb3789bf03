import { Message } from '@a2a-js/sdk';
import type { SendMessageRequest } from '@a2a-js/sdk';
import { clientOf } from '../directory/caller.ts';
import type { Ids } from '../platform/clock.ts';
import { invalidRequest } from '../platform/errors.ts';
import { canonicalDigest } from '../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { apart } from '../platform/json-text.ts';
import { TaskId } from '../platform/task-id.ts';
import { isTaken } from '../runtime/content.ts';
import type { InboundMessage } from '../runtime/content.ts';
import type { RegistrationRequest } from '../runtime/notifier.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Submitted } from '../runtime/insert-run.ts';
import type { Submission } from '../runtime/submission.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import type { Dialects } from '../dialects/dialects.ts';
import { AWAITING_SKILL } from '../runtime/awaiting-skill.ts';
import { withoutWebhookCredentials, withoutWebhookSecrets } from '../runtime/webhook-secrets.ts';
import type { A2aCall } from './call.ts';
import { readInvocation } from './invocation.ts';
import type { Invocation } from './invocation.ts';
import { checkConfiguration, checkMessage, checkMetadata, checkUnaddressed } from './message-check.ts';
import type { MessageLimits } from './message-check.ts';
import { registrationRequest } from './push-configs.ts';

export interface SendDependencies {
  runtime: Runtime;
  ids: Ids;
  limits: MessageLimits;
  /** The languages of calls besides our own; absent: there are none. */
  dialects?: Dialects | undefined;
  /** Reads a message of text alone, such as a brief; undefined: the message asks for nothing known. */
  fromText?: (text: string) => Invocation | undefined;
  /** Takes every message that names no skill, whatever it holds. */
  catchAll?: string;
  /** Whether a message to `catchAll` that was taken before stands for the task it began, as all others do (rule T6). Default true. */
  catchAllDedupes?: boolean;
}

/**
 * Takes a message: begins a task, or goes on with the one it names. A message that was taken before is answered with
 * its task.
 * @throws {AppError} for every refusal; nothing is stored then.
 */
export async function takeMessage(
  deps: SendDependencies,
  request: SendMessageRequest,
  call: A2aCall,
): Promise<Submitted> {
  const message = checkMessage(request.message, deps.limits);
  checkMetadata(request);
  checkConfiguration(request.configuration);
  if (message.taskId !== '') return continueTask(deps, message, request, call);
  const { skill, input, contextText, likeliest } = invocationOf(deps, message);
  const begun = {
    message: inboundMessage(message, call),
    ...(message.contextId !== '' && { context_id: message.contextId }),
  };
  if (skill === undefined) {
    checkUnaddressed(begun.message.wire);
    return deps.runtime.ask({ caller: call.caller, ...begun, ...whichSkill(deps.runtime, likeliest) });
  }
  return deps.runtime.submit({
    caller: call.caller,
    task_type: skill,
    input: input ?? {},
    ...(contextText !== undefined && { context_text: contextText }),
    ...begun,
    ...(deps.catchAllDedupes === false && skill === deps.catchAll && { message_key: deps.ids.newId() }),
    registrations: registrationsOf(request, call),
  });
}

/** Whether the sender waits for the outcome: by default in 1.0, on request in 0.3. */
export function isWaiting(request: SendMessageRequest, call: A2aCall): boolean {
  const { configuration } = request;
  return configuration === undefined ? call.wire === '1.0' : !configuration.returnImmediately;
}

/** How long a message waits for a task that is not done with the one before it, in milliseconds. */
const TIMEOUT_MS = 3_000;

async function continueTask(
  deps: SendDependencies,
  message: Message,
  request: SendMessageRequest,
  call: A2aCall,
): Promise<Submitted> {
  const { runtime } = deps;
  const inbound = inboundMessage(message, call);
  const known = await runtime.read(call.caller, TaskId.parse(message.taskId));
  const run = await runtime.waitUntilIdle(known, TIMEOUT_MS, call.signal);
  if (message.contextId !== '' && message.contextId !== run.context_id) {
    throw invalidRequest('message.contextId', 'the task belongs to another context');
  }
  if (isTaken(run.messages, inbound)) return { run, replayed: true };
  const registrations = registrationsOf(request, call);
  if (run.task_type === AWAITING_SKILL) {
    return { run: await continueAwaitingSkill(deps, run, message, { inbound, registrations }, call), replayed: false };
  }
  const isCatchAll = run.task_type === deps.catchAll;
  const { skill = run.task_type, input } = (isCatchAll ? undefined : readInvocation(message)) ?? {};
  if (skill !== run.task_type) {
    throw invalidRequest('message.taskId', `the task is one of ${run.task_type}, not of ${skill}`);
  }
  const resumed = await runtime.resume(call.caller, run.task_id, inbound, input);
  for (const registration of registrations) await runtime.addRegistration(call.caller, run.task_id, registration);
  return { run: resumed, replayed: false };
}

/** The answer to "which skill?". */
async function continueAwaitingSkill(
  deps: SendDependencies,
  run: TaskRun,
  message: Message,
  { inbound, registrations }: { inbound: InboundMessage; registrations: RegistrationRequest[] },
  call: A2aCall,
): Promise<TaskRun> {
  const { skill, input, contextText } = invocationOf(deps, message);
  if (skill === undefined) throw invalidRequest('message.parts', 'send one data part {skill, input}');
  const submission: Submission = {
    caller: call.caller,
    task_type: skill,
    input: input ?? {},
    ...(contextText !== undefined && { context_text: contextText }),
    message: inbound,
    context_id: run.context_id,
    registrations,
  };
  return deps.runtime.selectSkill(run.task_id, submission);
}

function invocationOf(deps: SendDependencies, message: Message): Invocation {
  if (deps.catchAll !== undefined) return namedSkill(deps, message) ?? { skill: deps.catchAll, input: {} };
  const invocation = readInvocation(message);
  if (invocation !== undefined) return invocation;
  const texts = message.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  const [text] = texts;
  return texts.length === 1 && text !== undefined ? (deps.fromText?.(text) ?? {}) : {};
}

/** What a message to an agent that takes anything names expressly. */
function namedSkill(deps: SendDependencies, message: Message): Invocation | undefined {
  const names = message.parts.some(
    ({ content }) =>
      content?.$case === 'data' && deps.runtime.tasks.has(String((content.value as JsonObject)['skill'])),
  );
  return names ? readInvocation(message) : undefined;
}

/** What is asked where no skill is named: all there are, a line each, and an example of the likeliest (rule T7). */
function whichSkill({ tasks }: Runtime, likeliest: string | undefined) {
  const skills = [...tasks.values()].map(({ name, title, description }) => ({ skill: name, title, description }));
  const named = likeliest === undefined ? undefined : tasks.get(likeliest);
  const input = named?.examples[0]?.input;
  const example = named && input && { skill: named.name, input };
  const lines = [
    'Which skill? Send one data part {skill, input}.',
    ...skills.map(({ skill, description }) => `- ${skill}: ${firstSentence(description)}`),
    ...(example === undefined ? [] : [`For example: ${JSON.stringify(example)}`]),
  ];
  return {
    text: lines.join('\n'),
    data: { reason: 'the message names no skill', skills, ...(example && { example }) },
  };
}

function firstSentence(text: string): string {
  return /^[^.]*\./.exec(text)?.[0] ?? text;
}

/** The message as it is stored: in 1.0 JSON, without what the task says anyway, and without secrets (rule W4). */
export function inboundMessage(message: Message, { caller }: A2aCall): InboundMessage {
  const { messageId, taskId, contextId } = message;
  const { value, texts } = apart(Message.toJSON({ ...message, taskId: '', contextId: '' }));
  const wire = withoutWebhookSecrets(value) as JsonObject;
  // As JSON has it: numbers beyond all are refused by whoever reads them.
  const { parts: sent } = withoutWebhookCredentials(value) as JsonObject;
  const parts: unknown = JSON.parse(JSON.stringify(sent));
  const known = { client: clientOf(caller), messageId, taskId, contextId, parts };
  return { message_id: messageId, message_key: canonicalDigest(known), wire, ...(texts && { wire_texts: texts }) };
}

/** The registrations of A2A's own mechanism that came with a message. */
export function registrationsOf({ configuration }: SendMessageRequest, call: A2aCall): RegistrationRequest[] {
  const config = configuration?.taskPushNotificationConfig;
  if (config === undefined) return [];
  const name = call.wire === '0.3' ? 'pushNotificationConfig' : 'taskPushNotificationConfig';
  return [registrationRequest(config, call, `configuration.${name}`)];
}
