import type { Message, SendMessageRequest } from '@a2a-js/sdk';
import type { Dialects, PublicAnswer, PublicCall } from '../dialects/dialects.ts';
import { isAnybody } from '../directory/caller.ts';
import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { TaskId } from '../platform/task-id.ts';
import type { A2aCall } from './call.ts';
import { readInvocation } from './invocation.ts';
import type { Invocation } from './invocation.ts';
import { checkConfiguration, checkMessage, checkMetadata } from './message-check.ts';
import { inboundMessage, registrationsOf } from './send-message.ts';
import type { SendDependencies } from './send-message.ts';

/** A message that asks for a task in the public dialect. */
export interface PublicMessage extends Pick<PublicCall, 'skill' | 'request' | 'contextText'> {
  message: Message;
}

/**
 * A message that asks for a task in the public dialect, or about one that was begun in it; undefined for all others, which are our own.
 * @throws {AppError} for a message that does, and is not formed as A2A wants it.
 */
export async function publicMessage(
  { dialects, limits }: Pick<SendDependencies, 'limits'> & { dialects: Dialects },
  request: SendMessageRequest,
  { extensions, caller }: A2aCall,
): Promise<PublicMessage | undefined> {
  const found = request.message && invocationIn(request.message);
  if (found === undefined) return undefined;
  const isMarked = dialects.isPublic({ ...found, extensions });
  const mark = isMarked || isAnybody(caller) ? undefined : await dialects.markOfTaskAsked(found, caller);
  if (!isMarked && mark === undefined) return undefined;
  const message = checkMessage(request.message, limits);
  checkMetadata(request);
  checkConfiguration(request.configuration);
  const { skill = found.skill, input = {}, contextText }: Invocation = readInvocation(message) ?? {};
  return { message, skill, request: { ...input, ...mark }, contextText };
}

/** Looks only: what is malformed is refused by whoever reads it. */
function invocationIn(message: Message): { skill: string; input: JsonObject } | undefined {
  const [part] = message.parts;
  const isPasted =
    message.parts.length === 1 && part?.content?.$case === 'text' && part.content.value.includes('"skill"');
  const { skill, input = {} } = isPasted ? (pastedIn(message) ?? {}) : dataIn(message);
  return skill === undefined ? undefined : { skill, input };
}

function dataIn({ parts }: Message): Invocation {
  for (const { content } of parts) {
    const data: unknown = content?.$case === 'data' ? content.value : undefined;
    if (!isObject(data)) continue;
    const { skill, input, parameters } = data;
    const given = input ?? parameters ?? {};
    return typeof skill === 'string' && isObject(given) ? { skill, input: given } : {};
  }
  return {};
}

function pastedIn(message: Message): Invocation | undefined {
  try {
    return readInvocation(message);
  } catch {
    return undefined;
  }
}

/** Answers such a message; a refusal is an answer, too. @throws {AppError} see `Dialects.answer`. */
export async function answerPublic(
  { dialects, runtime }: Pick<SendDependencies, 'runtime'> & { dialects: Dialects },
  { message, ...asked }: PublicMessage,
  request: SendMessageRequest,
  call: A2aCall,
): Promise<PublicAnswer> {
  const { caller, signal } = call;
  const context_id = message.contextId === '' ? await contextOf(runtime, message, call) : message.contextId;
  return dialects.answer({
    ...{ ...asked, caller, signal, context_id },
    ...(message.taskId !== '' && { names: TaskId.parse(message.taskId) }),
    message: inboundMessage(message, call),
    registrations: registrationsOf(request, call),
  });
}

/** Clients name the task of their last call in the next one: where it does not go on with that, its conversation is taken up. */
async function contextOf(
  runtime: SendDependencies['runtime'],
  { taskId }: Message,
  { caller }: A2aCall,
): Promise<string | undefined> {
  if (taskId === '') return undefined;
  const known = await runtime.read(caller, TaskId.parse(taskId)).catch(() => undefined);
  return known?.context_id;
}
