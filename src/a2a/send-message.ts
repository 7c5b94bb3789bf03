import { Message, TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { SendMessageRequest } from '@a2a-js/sdk';
import { AppError } from '../platform/errors.ts';
import type { InboundMessage, JsonObject } from '../runtime/content.ts';
import type { RegistrationRequest } from '../runtime/notifier.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Submitted } from '../runtime/submit.ts';
import type { Call } from './call.ts';
import { readInvocation } from './invocation.ts';
import type { Invocation } from './invocation.ts';
import { checkConfiguration, checkMessage } from './message-check.ts';
import type { MessageLimits } from './message-check.ts';

export interface SendDependencies {
  runtime: Runtime;
  limits: MessageLimits;
  /** Reads a message of text alone, such as a brief; undefined: the message asks for nothing known. */
  fromText?: (text: string) => Invocation | undefined;
}

/**
 * Takes a message: begins a task, or goes on with the one it names. A message that was taken before is answered with
 * its task.
 * @throws {AppError} for every refusal; nothing is stored then.
 */
export async function takeMessage(deps: SendDependencies, request: SendMessageRequest, call: Call): Promise<Submitted> {
  const message = checkMessage(request.message, deps.limits);
  checkConfiguration(request.configuration);
  const inbound = inboundMessage(message);
  if (message.taskId !== '') return goOn(deps, message, inbound, request, call);
  const { skill, input } = invocationOf(deps, message);
  if (skill === undefined) throw noSkill(deps.runtime);
  return deps.runtime.submit({
    caller: call.caller,
    task_type: skill,
    input: input ?? {},
    message: inbound,
    ...(message.contextId !== '' && { context_id: message.contextId }),
    registrations: registrationsOf(request, call),
  });
}

/** Whether the sender waits for the outcome: by default in 1.0, on request in 0.3. */
export function isWaiting(request: SendMessageRequest, call: Call): boolean {
  const { configuration } = request;
  return configuration === undefined ? call.wire === '1.0' : !configuration.returnImmediately;
}

async function goOn(
  deps: SendDependencies,
  message: Message,
  inbound: InboundMessage,
  request: SendMessageRequest,
  call: Call,
): Promise<Submitted> {
  const { runtime } = deps;
  const run = await runtime.read(call.caller, message.taskId);
  if (message.contextId !== '' && message.contextId !== run.context_id) {
    throw new AppError('INVALID_REQUEST', 'message.contextId: the task belongs to another context', {
      field: 'message.contextId',
    });
  }
  if (run.messages.some(({ message_id }) => message_id === inbound.message_id)) return { run, replayed: true };
  const { skill = run.task_type, input } = readInvocation(message) ?? {};
  if (skill !== run.task_type) {
    throw new AppError('INVALID_REQUEST', `message.taskId: the task is one of ${run.task_type}, not of ${skill}`, {
      field: 'message.taskId',
    });
  }
  if (registrationsOf(request, call).length > 0) {
    throw new AppError('INVALID_REQUEST', `${pushField(call)}: register with the task's push notification methods`, {
      field: pushField(call),
    });
  }
  return { run: await runtime.resume(call.caller, run.task_id, inbound, input), replayed: false };
}

function invocationOf(deps: SendDependencies, message: Message): Invocation {
  const invocation = readInvocation(message);
  if (invocation !== undefined) return invocation;
  const texts = message.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  const [text] = texts;
  return texts.length === 1 && text !== undefined ? (deps.fromText?.(text) ?? {}) : {};
}

function noSkill(runtime: Runtime): AppError {
  const skills = [...runtime.tasks.keys()];
  return new AppError('INVALID_REQUEST', `message.parts: send one data part {skill, input}`, {
    field: 'message.parts',
    suggestion: `use one of ${skills.join(', ')} as the skill`,
    details: { skills },
  });
}

/** The message as it is stored: in 1.0 JSON, without what the task says anyway. */
function inboundMessage(message: Message): InboundMessage {
  return {
    message_id: message.messageId,
    wire: Message.toJSON({ ...message, taskId: '', contextId: '' }) as JsonObject,
  };
}

function registrationsOf({ configuration }: SendMessageRequest, call: Call): RegistrationRequest[] {
  const config = configuration?.taskPushNotificationConfig;
  if (config === undefined) return [];
  return [
    {
      channel: 'a2a',
      wire: call.wire,
      config: TaskPushNotificationConfig.toJSON(config),
      field: pushField(call),
    },
  ];
}

function pushField(call: Call): string {
  return `configuration.${call.wire === '0.3' ? 'pushNotificationConfig' : 'taskPushNotificationConfig'}`;
}
