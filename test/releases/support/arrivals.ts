import { createHash, createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { judge } from '../../webhooks/support/judge.ts';
import type { Arrival } from './old-receivers.ts';
import type { PromisedDelivery, Promises } from './promises.ts';

/** The event's key: at the top of an envelope, or in the metadata of what A2A sends. */
export function keyOf({ body }: Arrival): string {
  const holders = [body, body['task'], body['statusUpdate']].flatMap((value) => [
    value as Record<string, unknown> | undefined,
    (value as { metadata?: Record<string, unknown> } | undefined)?.metadata,
  ]);
  return String(holders.find((holder) => holder !== undefined && 'idempotency_key' in holder)?.['idempotency_key']);
}

/** An old event has its old address and bytes. */
export function expectAsPromised(arrival: Arrival, promised: PromisedDelivery): void {
  expect(arrival.url).toBe(promised.url);
  expect(createHash('sha256').update(arrival.rawBody).digest('hex')).toBe(promised.body_sha256);
}

/**
 * The webhook is proved as its registration asked, by what the receiver has known since: the keys that the release
 * published, the shared secret, the token. The last part of the URL names the registration.
 */
export async function expectProved(arrival: Arrival, promises: Promises): Promise<void> {
  const { headers, rawBody, atMs, path } = arrival;
  const { secrets, jwks, keys } = promises;
  if (path.endsWith('-bearer')) {
    expect(headers['authorization']).toBe(`Bearer ${secrets.bearer}`);
  } else if (headers['signature-input'] === undefined) {
    const { hmacSignatureHeader, hmacTimestampHeader } = protocolNames();
    const timestamp = String(headers[hmacTimestampHeader.toLowerCase()]);
    expect(Math.abs(Number(timestamp) - atMs / 1000)).toBeLessThanOrEqual(300);
    const mac = createHmac('sha256', secrets.hmac).update(`${timestamp}.`).update(rawBody).digest('hex');
    expect(headers[hmacSignatureHeader.toLowerCase()]).toBe(`sha256=${mac}`);
  } else {
    expect(headers['authorization']).toBeUndefined();
    const { keyid } = await judge(arrival, jwks.keys, atMs);
    expect(keys.find(({ kid }) => kid === keyid)?.part).not.toBe('revoked');
  }
  if (/a2a-.*-rfc9421$/.test(path)) expect(headers['x-a2a-notification-token']).toBe(secrets.token);
}
