import { memoryReplayStore } from '#receiver/replay/memory-replay-store';
import type { CallProof } from '../../adservers/http/bridge-router.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { Unreachable } from '../../sales/ad-server/faults.ts';
import { faultOfCall } from '../../webhooks/calls/call-verification.ts';
import { jwksAt } from '../../webhooks/calls/jwks-at.ts';

/** How long the agent may take to show its keys; less than a call may. */
const KEYS_WITHIN_MS = 5_000;
const MAX_JWKS_BYTES = 262_144;

/**
 * Verifies calls of the bridge by the keys at a URL of the operator's own. While those were never to be had, calls are `Unreachable`:
 * an agent that is just starting shows none yet.
 */
export function callProof(jwksUrl: string, outbound: Pick<Outbound, 'send'>): CallProof {
  const resolveKey = jwksAt(jwksUrl, async (url) => {
    const request = { url, method: 'GET', totalTimeoutMs: KEYS_WITHIN_MS, maxResponseBytes: MAX_JWKS_BYTES } as const;
    const result = await outbound.send(request);
    if (result.kind !== 'response') throw new Error(`no answer: ${result.kind}`);
    return { status: result.status, json: JSON.parse(result.body.toString('utf8')) as unknown };
  });
  const replay = memoryReplayStore();
  return async (request, body) => {
    const { method, originalUrl: path } = request;
    const call = { method, path, header: (name: string) => request.get(name), body };
    try {
      return await faultOfCall(call, { resolveKey, replay, now: Date.now });
    } catch (cause) {
      throw new Unreachable('the keys of the caller cannot be had now', { sent: 'no', cause });
    }
  };
}
