import { describe, expect, it } from 'vitest';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { signHmac, verifyHmac } from '../../../src/webhooks/signing/hmac.ts';
import vectors from './vectors.json' with { type: 'json' };

const names = protocolNames();
const secret = '0123456789abcdef0123456789abcdef';
const now = 1_772_366_400_000;
const rawBody = Buffer.from('{"task_id":"task-1"}');
const sent = signHmac({ body: rawBody, secret, now, names });
const received = {
  signature: sent['X-PROTO-Signature'],
  timestamp: sent['X-PROTO-Timestamp'],
  rawBody,
  secrets: [secret],
  now,
};

describe('[C.webhook.hmac] legacy HMAC', () => {
  it.each(vectors.hmac)('signs as an independent implementation does: $signature', (vector) => {
    const body = Buffer.from(vector.body);
    expect(signHmac({ body, secret: vector.secret, now: vector.timestamp * 1000 + 999, names })).toEqual({
      'X-PROTO-Signature': vector.signature,
      'X-PROTO-Timestamp': String(vector.timestamp),
    });
  });

  it('verifies what it signed', () => {
    expect(verifyHmac(received)).toBe('ok');
  });

  it('takes either secret while one replaces another', () => {
    expect(verifyHmac({ ...received, secrets: ['another secret of thirty-two char', secret] })).toBe('ok');
    expect(verifyHmac({ ...received, secrets: ['another secret of thirty-two char'] })).toBe('mismatch');
    expect(verifyHmac({ ...received, secrets: [] })).toBe('mismatch');
  });

  it('refuses any changed bit of the body', () => {
    for (let bit = 0; bit < rawBody.length * 8; bit += 1) {
      const changed = Buffer.from(rawBody);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(verifyHmac({ ...received, rawBody: changed })).toBe('mismatch');
    }
  });

  it('refuses a timestamp that was not signed', () => {
    expect(verifyHmac({ ...received, timestamp: String(now / 1000 + 1) })).toBe('mismatch');
  });

  it.each([
    [300_000, 'ok'],
    [-300_000, 'ok'],
    [301_000, 'expired'],
    [-301_000, 'expired'],
  ])('[C.limits.hmac] takes a timestamp that is 300 s from now and none further: %i ms', (shift, verdict) => {
    expect(verifyHmac({ ...received, now: now + shift })).toBe(verdict);
  });

  it.each([undefined, '', 'now', '1772366400.5', '-1772366400', '+1772366400', ' 1772366400', '0x69a4'])(
    'refuses the non-numeric timestamp %j',
    (timestamp) => {
      expect(verifyHmac({ ...received, timestamp })).toBe('malformed');
    },
  );

  it.each([
    undefined,
    '',
    'sha256=',
    `sha256=${'A'.repeat(64)}`,
    `sha256=${'a'.repeat(63)}`,
    `sha256=${'a'.repeat(65)}`,
    `sha512=${'a'.repeat(64)}`,
    'a'.repeat(64),
    `${String(sent['X-PROTO-Signature'])}, ${String(sent['X-PROTO-Signature'])}`,
  ])('refuses the malformed signature %j', (signature) => {
    expect(verifyHmac({ ...received, signature })).toBe('malformed');
  });
});
