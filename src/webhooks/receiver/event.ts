import { createHash } from 'node:crypto';
import { isObject, objectsIn, textOf } from './json-shape.ts';
import type { JsonObject } from './json-shape.ts';

/** A webhook's content in one shape, whichever envelope it came in. */
export interface WebhookEvent {
  /** `mcp` and `a2a` by rule C.events.5; `other` for events that are no task status. */
  format: 'mcp' | 'a2a' | 'other';
  /** The same on every delivery of one event; for an A2A body without one, the hash of its bytes. */
  idempotency_key: string;
  task_id?: string;
  operation_id?: string;
  task_type?: string;
  domain?: string;
  /** As the protocol spells states, such as `input-required`, in both generations of A2A. */
  status?: string;
  /** Whether this is a task's last status. */
  is_final: boolean;
  /** When the sender made the event: RFC 3339. */
  timestamp?: string;
  message?: string;
  /** The task-specific content (rule C.events.5). */
  result?: unknown;
  /** What the originating request carried as `context`. */
  context?: unknown;
  /** A2A's `contextId`. */
  context_id?: string;
  /** For state-shaped events: the same under another `idempotency_key` is a re-emission (rule C.events.4). */
  notification_id?: string;
}

const FINAL_STATES = ['completed', 'failed', 'canceled', 'rejected'];
const DELIVERY_REPORTS = ['scheduled', 'final', 'delayed', 'adjusted'];
const MAX_KEY_LENGTH = 255;

/**
 * Reads the event of a verified body. Undefined when there is none to read: not an object, or an MCP-style or other
 * envelope without an `idempotency_key` of 1–255 characters.
 */
export function readEvent(body: unknown, rawBody: Uint8Array): WebhookEvent | undefined {
  if (!isObject(body)) return undefined;
  const a2a = [body, body['task'], body['statusUpdate']]
    .filter(isObject)
    .find((entry) => isObject(entry['status']) && textOf(entry['status']['state']) !== undefined);
  return a2a === undefined ? readEnvelope(body) : readA2a(a2a, rawBody);
}

function readEnvelope(body: JsonObject): WebhookEvent | undefined {
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

function readA2a(entry: JsonObject, rawBody: Uint8Array): WebhookEvent {
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
    idempotency_key: keyOf(metadata['idempotency_key']) ?? hashOf(rawBody),
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

/**
 * What an event tells the state of, and of which instant (milliseconds): an event of an earlier instant is stale. A final
 * status comes after any other of the same millisecond. Undefined for an event that stands alone.
 */
export function orderOf(event: WebhookEvent): { subject: string; at: number } | undefined {
  const at = Date.parse(event.timestamp ?? '') + (event.is_final ? 0.5 : 0);
  if (Number.isNaN(at) || isDeliveryReport(event)) return undefined;
  if (event.notification_id !== undefined) return { subject: `notification ${event.notification_id}`, at };
  if (event.format === 'other' || event.task_id === undefined) return undefined;
  return { subject: `task ${event.task_id}`, at };
}

/** Reports are a series, each with content of its own: an earlier one is late, not stale. */
function isDeliveryReport({ result }: WebhookEvent): boolean {
  return isObject(result) && DELIVERY_REPORTS.includes(textOf(result['notification_type']) ?? '');
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

function hashOf(rawBody: Uint8Array): string {
  return `sha256-${createHash('sha256').update(rawBody).digest('hex')}`;
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
