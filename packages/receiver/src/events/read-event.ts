import { sha256, toHex } from '../wire/bytes.ts';
import { isObject, objectsIn, textOf } from '../wire/json-shape.ts';
import type { JsonObject } from '../wire/json-shape.ts';
import { parseStrictJson } from '../wire/strict-json.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** Why there is no event in a verified body. */
export type UnreadableCode =
  'webhook_body_not_an_object' | 'webhook_idempotency_key_missing' | 'webhook_status_unknown';

/** What became of reading a body; `reason` is for the receiver's own logs. */
export type ReadEvent =
  { ok: true; event: WebhookEvent; json: unknown } | { ok: false; code: UnreadableCode; reason: string };

const OPEN_STATES = ['submitted', 'working', 'input-required', 'auth-required'];
const FINAL_STATES = ['completed', 'failed', 'canceled', 'rejected'];
const MAX_KEY_LENGTH = 255;

/**
 * Reads the event of a verified body. There is none in what is no JSON object, in an MCP-style or other envelope without
 * an `idempotency_key` of 1–255 characters, and in a task's status that the protocol does not know (rule C.states.tasks). Never throws.
 */
export async function readEvent(rawBody: Uint8Array): Promise<ReadEvent> {
  const parsed = parseStrictJson(rawBody);
  if (parsed === undefined || !isObject(parsed.value))
    return unreadable('webhook_body_not_an_object', 'the body is no JSON object');
  const body = parsed.value;
  const a2a = [body, body['task'], body['statusUpdate']]
    .filter(isObject)
    .find((entry) => isObject(entry['status']) && textOf(entry['status']['state']) !== undefined);
  const event = a2a === undefined ? eventOfEnvelope(body) : await eventOfA2a(a2a, rawBody);
  if (event === undefined) {
    return unreadable('webhook_idempotency_key_missing', 'there is no idempotency_key of 1 to 255 characters');
  }
  if (event.format !== 'other' && !isState(event.status)) {
    return unreadable('webhook_status_unknown', `${JSON.stringify(event.status)} is no status of a task`);
  }
  return { ok: true, event, json: body };
}

function unreadable(code: UnreadableCode, reason: string): ReadEvent {
  return { ok: false, code, reason };
}

function isState(status: string | undefined): boolean {
  return status !== undefined && [...OPEN_STATES, ...FINAL_STATES].includes(status);
}

function eventOfEnvelope(body: JsonObject): WebhookEvent | undefined {
  const idempotencyKey = keyOf(body['idempotency_key']);
  if (idempotencyKey === undefined) return undefined;
  const status = textOf(body['status']);
  const isTaskStatus = status !== undefined && textOf(body['task_id']) !== undefined;
  return {
    format: isTaskStatus ? 'mcp' : 'other',
    idempotency_key: idempotencyKey,
    is_final: isTaskStatus && FINAL_STATES.includes(status),
    ...texts(body, ['task_id', 'operation_id', 'task_type', 'domain', 'status', 'timestamp', 'message']),
    ...texts(body, ['notification_id']),
    ...present(body, ['result', 'context']),
  };
}

async function eventOfA2a(entry: JsonObject, rawBody: Uint8Array): Promise<WebhookEvent> {
  const status = isObject(entry['status']) ? entry['status'] : {};
  const metadata = isObject(entry['metadata']) ? entry['metadata'] : {};
  const state = stateOf(textOf(status['state']) ?? '');
  const isFinal = FINAL_STATES.includes(state);
  const parts = objectsIn(isObject(status['message']) ? status['message']['parts'] : undefined);
  const resultParts = objectsIn(objectsIn(entry['artifacts'])[0]?.['parts']);
  const lastResult = isFinal ? resultParts.findLast(isDataPart) : undefined;
  const dataPart = lastResult ?? parts.find(isDataPart);
  const message = textOf(parts.find((part) => textOf(part['text']) !== undefined)?.['text']);
  return {
    format: 'a2a',
    idempotency_key: keyOf(metadata['idempotency_key']) ?? `sha256-${toHex(await sha256(rawBody))}`,
    ...texts({ task_id: entry['id'] ?? entry['taskId'], context_id: entry['contextId'] }, ['task_id', 'context_id']),
    ...texts(metadata, ['operation_id', 'task_type', 'notification_id']),
    status: state,
    is_final: isFinal,
    ...texts(status, ['timestamp']),
    ...(message !== undefined && { message }),
    ...(dataPart !== undefined && { result: dataPart['data'] }),
    ...present(metadata, ['context']),
  };
}

function isDataPart(part: JsonObject): boolean {
  return part['data'] !== undefined;
}

/** A2A 1.0 writes `TASK_STATE_INPUT_REQUIRED` for `input-required`. */
function stateOf(state: string): string {
  return state.startsWith('TASK_STATE_') ? state.slice(11).toLowerCase().replaceAll('_', '-') : state;
}

function keyOf(value: unknown): string | undefined {
  const key = textOf(value) ?? '';
  return key.length >= 1 && key.length <= MAX_KEY_LENGTH ? key : undefined;
}

/** The named fields that are strings. */
function texts<K extends string>(from: JsonObject, names: readonly K[]): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const name of names) {
    const text = textOf(from[name]);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

/** The named fields that are there at all. */
function present<K extends string>(from: JsonObject, names: readonly K[]): Partial<Record<K, unknown>> {
  const found: Partial<Record<K, unknown>> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found;
}
