import { describe, expect, it } from 'vitest';
import { memoryReplayStore, verifyWebhook } from '#receiver';
import type { Registration } from '#receiver';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { bearerHeader } from '../../src/webhooks/signing/bearer.ts';
import { signHmac } from '../../src/webhooks/signing/hmac.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const OTHER = 'another-secret-of-thirty-two-char';
const NOW = 1_772_366_400_000;
const BODY = Buffer.from('{"task_id":"task-1"}');
const URL = 'https://buyer.example/hooks';

/** `ok`, or what a webhook is refused with. */
async function verdictOn(
  registration: Registration,
  headers: Record<string, string | undefined>,
  { body = BODY, now = NOW } = {},
): Promise<string> {
  const request = {
    method: 'POST',
    url: URL,
    headers: { 'content-type': 'application/json', ...headers },
    rawBody: body,
  };
  const verdict = await verifyWebhook(request, registration, { replay: memoryReplayStore(), now: () => now });
  return verdict.ok ? 'ok' : verdict.code;
}

describe('[C.webhook.hmac] legacy HMAC', () => {
  const sent = signHmac({ body: BODY, secret: SECRET, now: NOW, names: protocolNames() });
  const agreed = { mode: 'hmac-sha256', sender: 'seller', secret: SECRET } as const;
  const [SIGNATURE, TIMESTAMP] = ['X-PROTO-Signature', 'X-PROTO-Timestamp'];

  it('verifies what the sender signs, with either secret while one replaces another', async () => {
    expect(await verdictOn(agreed, sent)).toBe('ok');
    expect(await verdictOn({ ...agreed, secret: [OTHER, SECRET] }, sent)).toBe('ok');
    expect(await verdictOn({ ...agreed, secret: [OTHER] }, sent)).toBe('webhook_signature_invalid');
  });

  it('refuses any changed bit of the body', async () => {
    for (let bit = 0; bit < BODY.length * 8; bit += 1) {
      const changed = Buffer.from(BODY);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await verdictOn(agreed, sent, { body: changed })).toBe('webhook_signature_invalid');
    }
  });

  it('refuses a timestamp that was not signed', async () => {
    const headers = { ...sent, [TIMESTAMP]: String(NOW / 1000 + 1) };
    expect(await verdictOn(agreed, headers)).toBe('webhook_signature_invalid');
  });

  it.each([
    [300_000, 'ok'],
    [-300_000, 'ok'],
    [301_000, 'webhook_signature_window_invalid'],
    [-301_000, 'webhook_signature_window_invalid'],
  ])('[C.limits.hmac] takes a timestamp that is 300 s from now and none further: %i ms', async (shift, verdict) => {
    expect(await verdictOn(agreed, sent, { now: NOW + shift })).toBe(verdict);
  });

  it.each([undefined, '', 'now', '1772366400.5', '-1772366400', '+1772366400', '0x69a4'])(
    'refuses the non-numeric timestamp %j',
    async (timestamp) => {
      expect(await verdictOn(agreed, { ...sent, [TIMESTAMP]: timestamp })).toBe('webhook_signature_header_malformed');
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
    `${String(sent[SIGNATURE])}, ${String(sent[SIGNATURE])}`,
  ])('refuses the malformed signature %j', async (signature) => {
    expect(await verdictOn(agreed, { ...sent, [SIGNATURE]: signature })).toBe('webhook_signature_header_malformed');
  });
});

describe('[C.webhook.bearer] legacy Bearer', () => {
  const agreed = { mode: 'bearer', sender: 'seller', token: SECRET } as const;

  it('takes the token the sender shows, with the scheme in any case, and either of two', async () => {
    expect(await verdictOn(agreed, bearerHeader(SECRET))).toBe('ok');
    expect(await verdictOn({ ...agreed, token: [OTHER, SECRET] }, { authorization: `bearer ${SECRET}` })).toBe('ok');
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', SECRET, `Basic ${SECRET}`, `Bearer ${SECRET}x`, `Bearer ${SECRET} x`])(
    'refuses %j',
    async (authorization) => {
      expect(await verdictOn(agreed, { authorization })).toMatch(/^webhook_signature_(invalid|header_malformed)$/);
    },
  );
});

describe('[W4] a secret that anybody could guess', () => {
  it.each(['', 'short', 'a'.repeat(40), SECRET.slice(1)])('is refused before any webhook: %j', async (weak) => {
    for (const secrets of [weak, [SECRET, weak]]) {
      const hmac = { mode: 'hmac-sha256', sender: 's', secret: secrets } as const;
      const bearer = { mode: 'bearer', sender: 's', token: secrets } as const;
      await expect(verdictOn(hmac, {})).rejects.toThrow(RangeError);
      await expect(verdictOn(bearer, {})).rejects.toThrow(RangeError);
    }
  });

  it('is none at all, or no text', async () => {
    for (const secret of [[], undefined as unknown as string]) {
      await expect(verdictOn({ mode: 'hmac-sha256', sender: 's', secret }, {})).rejects.toThrow(RangeError);
    }
  });
});
