import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '#receiver';
import type { ReceivedRequest, WebhookMode } from '#receiver';
import type { RegistrationOf } from '#receiver/verify/registration';
import { craft, rules, verifySigned } from './craft.ts';

const HEADERS = [
  'content-type',
  'content-digest',
  'signature-input',
  'signature',
  'host',
  ':authority',
  'authorization',
  'x-proto-signature',
  'x-proto-timestamp',
  '__proto__',
];
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('sig1=()', 'sig1=::', 'sig1=:AAAA:', 'application/json', '', 'Bearer x'),
);
const value = fc.oneof(text, fc.array(text), fc.constant(undefined));
const headers = fc.dictionary(fc.oneof(fc.constantFrom(...HEADERS), fc.string()), value);
const rawBody = fc.uint8Array({ maxLength: 200 });

/** What was agreed, by mode: none is left out. */
const AGREED: { [Mode in WebhookMode]: RegistrationOf<Mode> } = {
  'hmac-sha256': { mode: 'hmac-sha256', sender: 's', secret: 'a shared secret of forty characters, yes' },
  bearer: { mode: 'bearer', sender: 's', token: 'a-token-of-forty-characters-or-so-at-least' },
  rfc9421: { mode: 'rfc9421', resolveKey: () => Promise.resolve(undefined) },
};

describe('any input at all', () => {
  it('[W12] gets a verdict with a status, and is never verified', async () => {
    const request = fc.record({ method: fc.string(), url: text, headers, rawBody });
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        const verdict = await verifySigned(given, rules());
        expect(verdict).toMatchObject({ ok: false });
        if (!verdict.ok) expect([401, 413, 415]).toContain(verdict.status);
      }),
      { numRuns: 1000 },
    );
  });

  it('[W12] with a part of it changed, gets a refusal of the sender or passes unchanged', async () => {
    const change = fc.record({ name: fc.constantFrom(...HEADERS.slice(0, 6)), value });
    await fc.assert(
      fc.asyncProperty(change, async ({ name, value: changed }) => {
        const request = craft();
        const verdict = await verifySigned({ ...request, headers: { ...request.headers, [name]: changed } }, rules());
        if (!verdict.ok) expect(verdict.status).not.toBe(503);
      }),
      { numRuns: 500 },
    );
  });

  it('[W12] of types that no caller should send gets a verdict too', async () => {
    const thing = fc.anything({ withBigInt: true, withNullPrototype: true, withTypedArray: true });
    await fc.assert(
      fc.asyncProperty(thing, thing, thing, thing, async (method, url, given, body) => {
        const request = { method, url, headers: given, rawBody: body } as unknown as ReceivedRequest;
        expect(await verifySigned(request, rules())).toMatchObject({ ok: false });
      }),
      { numRuns: 500 },
    );
  });

  it.each(Object.values(AGREED))('[W12] gets a verdict of the mode $mode, and is never verified', async (agreed) => {
    await fc.assert(
      fc.asyncProperty(fc.record({ method: fc.string(), url: text, headers, rawBody }), async (given) => {
        expect(await verifyWebhook(given, agreed, rules())).toMatchObject({ ok: false });
      }),
      { numRuns: 500 },
    );
  });
});
