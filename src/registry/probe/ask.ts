import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { DoneInTurn } from '../../platform/outbound/fetch.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';

/** The part of the outbound client that probing needs. */
export type Out = Pick<Outbound, 'send' | 'fetchJson' | 'fetchBytes'>;

/**
 * Why there is no answer: told apart so that the caller can be told (rule R12). `reason` is our own wording, never the
 * agent's.
 */
export interface NoAnswer {
  kind: 'timeout' | 'refused' | 'unreachable';
  reason: string;
  /** It may be another the next time: nothing was said that could be judged. */
  isPassing?: boolean;
}

/** Turns at origins that others ask, too. */
export interface Turns {
  inTurn: DoneInTurn;
  /** So far, in milliseconds. */
  readonly waitedMs: number;
}

/** A probe's means and bounds. */
export interface Asking {
  out: Out;
  /** By `performance.now()`: no request goes on after it, and what was waited for turns. */
  deadline: number;
  /** By which documents are fetched. Default: at once. */
  turns?: Turns | undefined;
  /** Breaks off what is under way, by an exception. */
  signal?: AbortSignal | undefined;
}

/** Largest document or answer read from an agent, in bytes. */
const MAX_BYTES = 512 * 1024;

/** Milliseconds left before the deadline, at least 1. */
export function timeLeft(asking: Asking): number {
  return Math.max(1, Math.ceil(untilDeadline(asking)));
}

/** Whether its time is over. */
export function isLate(asking: Asking): boolean {
  return untilDeadline(asking) <= 0;
}

function untilDeadline({ deadline, turns }: Asking): number {
  return deadline + (turns?.waitedMs ?? 0) - performance.now();
}

/** GETs a JSON document; same-site redirects are followed. */
export async function getJson(asking: Asking, url: string): Promise<{ kind: 'json'; json: unknown } | NoAnswer> {
  if (isLate(asking)) return TOO_LATE;
  const result = await asking.out.fetchJson(url, {
    maxBytes: MAX_BYTES,
    redirects: 3,
    totalTimeoutMs: timeLeft(asking),
    headers: { accept: 'application/json' },
    ...(asking.signal && { signal: asking.signal }),
  });
  switch (result.kind) {
    case 'response':
      return result.status < 300 && result.json !== undefined
        ? { kind: 'json', json: result.json }
        : { kind: 'unreachable', reason: `answered ${result.status}`, isPassing: result.status >= 500 };
    case 'timeout':
      return TOO_LATE;
    case 'refused':
      return { kind: 'refused', reason: result.reason };
    case 'unusable':
      return { kind: 'unreachable', reason: result.reason };
    case 'connection_error':
      return { kind: 'unreachable', reason: result.reason, isPassing: true };
  }
}

/** What a JSON-RPC endpoint answered. */
export interface RpcAnswer {
  kind: 'answer';
  status: number;
  headers: Record<string, string>;
  /** The JSON-RPC response object; absent when the body holds none. */
  message?: Record<string, unknown>;
}

/** POSTs one JSON-RPC message; redirects are refused (rule W16). Reads plain JSON and one-answer event streams. */
export async function postRpc(
  asking: Asking,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<RpcAnswer | NoAnswer> {
  if (isLate(asking)) return TOO_LATE;
  const result = await asking.out.send({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      ...headers,
    },
    body: JSON.stringify(body),
    totalTimeoutMs: timeLeft(asking),
    maxResponseBytes: MAX_BYTES,
    ...(asking.signal && { signal: asking.signal }),
  });
  switch (result.kind) {
    case 'response': {
      if (result.truncated) return { kind: 'unreachable', reason: 'body is too large' };
      const message = messageIn(result.headers['content-type'] ?? '', result.body.toString('utf8'));
      return { kind: 'answer', status: result.status, headers: result.headers, ...(message && { message }) };
    }
    case 'timeout':
      return TOO_LATE;
    case 'refused':
      return { kind: 'refused', reason: result.reason };
    case 'connection_error':
      return { kind: 'unreachable', reason: result.reason, isPassing: true };
  }
}

export const TOO_LATE: NoAnswer = { kind: 'timeout', reason: 'did not answer in time', isPassing: true };

function messageIn(contentType: string, text: string): Record<string, unknown> | undefined {
  const candidates = contentType.startsWith('text/event-stream')
    ? text.split(/\r?\n\r?\n/).map((event) =>
        event
          .split(/\r?\n/)
          .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
          .join('\n'),
      )
    : [text];
  for (const candidate of candidates) {
    const message = jsonObject(candidate);
    if (message !== undefined && ('result' in message || 'error' in message)) return message;
  }
  return undefined;
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
