import { Role } from '@a2a-js/sdk';
import type { Message, Part, SendMessageConfiguration, SendMessageRequest } from '@a2a-js/sdk';
import { AppError, invalidRequest } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { TaskId } from '../platform/task-id.ts';

/** Bounds of one message. */
export interface MessageLimits {
  /** Most parts of one message. */
  parts: number;
  /** Longest id a client may choose, in characters. */
  id: number;
}

export const MESSAGE_LIMITS: MessageLimits = { parts: INPUT_LIMITS.messageParts, id: INPUT_LIMITS.messageIdLength };

/**
 * Refuses what the SDK lets through: no message id, role or parts, parts without content, ids that no client needs.
 * @throws {AppError} `INVALID_REQUEST` naming the field.
 */
export function checkMessage(message: Message | undefined, limits: MessageLimits): Message {
  if (message === undefined) throw invalidRequest('message', 'required; send a message');
  for (const name of ['messageId', 'contextId', 'taskId'] as const) {
    // The SDK passes on whatever 0.3 sends, and no store may be asked for what is no text.
    const given: unknown = message[name];
    if (typeof given !== 'string') throw invalidRequest(`message.${name}`, 'send an id as text');
    if (given.length > limits.id) throw invalidRequest(`message.${name}`, `send at most ${limits.id} characters`);
  }
  if (message.messageId.trim() === '')
    throw invalidRequest('message.messageId', 'required; send an id of your own, once');
  if (message.role !== Role.ROLE_USER)
    throw invalidRequest('message.role', 'messages to an agent are sent as the user');
  if (message.parts.length === 0) throw invalidRequest('message.parts', 'send at least one part');
  if (message.parts.length > limits.parts) throw invalidRequest('message.parts', `send at most ${limits.parts} parts`);
  message.parts.forEach(checkPart);
  return message;
}

/**
 * Refuses more metadata than anybody needs carried through (rule S1): of the request, its message and the parts, together.
 * @throws {AppError} `INVALID_REQUEST`.
 */
export function checkMetadata({ metadata, message }: SendMessageRequest): void {
  const all = [metadata, message?.metadata, ...(message?.parts ?? []).map((part) => part.metadata)];
  const bytes = all.reduce((sum, one) => sum + (one === undefined ? 0 : Buffer.byteLength(JSON.stringify(one))), 0);
  if (bytes <= INPUT_LIMITS.metadataBytes) return;
  throw invalidRequest('message.metadata', `send at most ${INPUT_LIMITS.metadataBytes} bytes of metadata in all`);
}

/**
 * Refuses what is too long to be asked about: a message that names no skill is kept only until it does (rule S1).
 * @throws {AppError} `INVALID_REQUEST`.
 */
export function checkUnaddressed(wire: JsonObject): void {
  if (Buffer.byteLength(JSON.stringify(wire)) <= INPUT_LIMITS.unaddressedMessageBytes) return;
  const most = INPUT_LIMITS.unaddressedMessageBytes;
  throw invalidRequest('message.parts', `name a skill: without one, a message has at most ${most} bytes`);
}

function checkPart({ content, mediaType }: Part, index: number): void {
  const field = `message.parts[${index}]`;
  if (content === undefined) throw invalidRequest(field, 'send text, data, a url or raw bytes');
  const [media = ''] = mediaType.split(';', 1);
  if (media === '' || INPUT_MODES.includes(media.trim().toLowerCase())) return;
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `${field}.mediaType: this content type is not supported; send ${INPUT_MODES.join(' or ')}`,
    {
      field: `${field}.mediaType`,
    },
  );
}

/** The media types that the agent reads; its card lists them. */
export const INPUT_MODES: readonly string[] = ['application/json', 'text/plain'];

/**
 * An id as the caller sent it; the SDK passes on whatever 0.3 sends.
 * @throws {AppError} `INVALID_REQUEST`.
 */
export function checkedId(id: unknown, field: string): string {
  if (typeof id === 'string' && id.trim() !== '') return id;
  throw invalidRequest(field, 'required; send an id');
}

/** The same of a task's id. */
export function checkedTaskId(id: unknown, field: string): TaskId {
  return TaskId.parse(checkedId(id, field));
}

/** @throws {AppError} `INVALID_REQUEST` for a negative or fractional history length. */
export function checkHistoryLength(historyLength: number | undefined, field = 'historyLength'): void {
  if (historyLength === undefined || (Number.isInteger(historyLength) && historyLength >= 0)) return;
  throw invalidRequest(field, 'send a whole number, 0 or more');
}

/** @throws {AppError} `INVALID_REQUEST` naming the field. */
export function checkConfiguration(configuration: SendMessageConfiguration | undefined): void {
  checkHistoryLength(configuration?.historyLength, 'configuration.historyLength');
}
