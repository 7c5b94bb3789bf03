import { setTimeout as delay } from 'node:timers/promises';
import type { OutboundRequest, Send } from '../../platform/outbound/outbound-request.ts';
import type { OutboundResult, ResponseResult } from '../../platform/outbound/outbound-result.ts';
import type { World } from './world.ts';

/** Longer than a caller waits. */
const CALLER_WAITS_MS = 30_000;
/** What is late is late by this part of what was asked for: enough to come after the next. */
const LATE_SHARE = 0.25;

/**
 * What goes wrong on the way to an ad server over HTTP, staged where calls leave: so any ad server may be tried by it, whether it can
 * be steered or not. An answer that comes too late is one that nobody waits for.
 */
export function roughWay(send: Send) {
  let failing: { status: number; retry_after_s?: number; left: number } | undefined;
  let delayMs = 0;
  const lost = { dropped: 0, brokenOff: 0 };

  async function sendRoughly(request: OutboundRequest): Promise<OutboundResult> {
    if (failing !== undefined && failing.left > 0) {
      failing.left -= 1;
      return answered(failing);
    }
    const ms = delayMs;
    delayMs = 0;
    if (ms > 0 && ms <= CALLER_WAITS_MS) await delay(ms * LATE_SHARE);
    const result = await send(request);
    if (result.kind !== 'response') return result;
    const { status, body: _body, headers: _headers, truncated: _truncated, kind: _kind, ...progress } = result;
    if (ms > CALLER_WAITS_MS) return { kind: 'timeout', phase: 'response', ...progress };
    if (lost.dropped > 0) {
      lost.dropped -= 1;
      return { kind: 'connection_error', reason: 'connection reset', ...progress };
    }
    if (lost.brokenOff > 0) {
      lost.brokenOff -= 1;
      return { kind: 'connection_error', reason: 'connection closed', status, ...progress };
    }
    return result;
  }

  const world = {
    calm() {
      failing = undefined;
      delayMs = 0;
      Object.assign(lost, { dropped: 0, brokenOff: 0 });
      return Promise.resolve();
    },
    fail(failure) {
      failing = 'outage' in failure ? { status: 503, left: Infinity } : { ...failure, left: failure.times };
      return Promise.resolve();
    },
    breakOff(times) {
      lost.brokenOff = times;
      return Promise.resolve();
    },
    dropAnswers(times) {
      lost.dropped = times;
      return Promise.resolve();
    },
    delay(ms) {
      delayMs = ms;
      return Promise.resolve();
    },
  } satisfies World;
  return { send: sendRoughly, world };
}

function answered({ status, retry_after_s }: { status: number; retry_after_s?: number }): ResponseResult {
  return {
    ...{ kind: 'response', status, truncated: false, reused: false },
    headers: { ...(retry_after_s !== undefined && { 'retry-after': String(retry_after_s) }) },
    body: Buffer.from('{"error":{"code":"staged","message":"staged by the kit"}}'),
    timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0, total_ms: 0 },
  };
}
