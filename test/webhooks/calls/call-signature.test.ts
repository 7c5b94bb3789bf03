import { createHash, createPublicKey, verify } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { describe, expect, it } from 'vitest';
import { keysOf, memoryReplayStore, verifyWebhook } from '#receiver';
import { SIGNATURE_ALGS } from '#receiver/wire/algorithms';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { CALL_TAG, signCall } from '../../../src/webhooks/calls/call-signature.ts';
import { faultOfCall } from '../../../src/webhooks/calls/call-verification.ts';
import type { ReceivedCall } from '../../../src/webhooks/calls/call-verification.ts';
import { signRequest } from '../../../src/webhooks/signing/http-signature.ts';
import { generateSigningKey } from '../../../src/webhooks/signing/signing-key.ts';

const names = protocolNames();
const NOW = Date.UTC(2026, 0, 1);
const key = generateSigningKey('ed25519', { names });
const URL_OF_CALL = 'http://ads.example:8070/v1/orders/~.%5Bmb%5D%2F1?cursor=a%3Fb';
const BODY = Buffer.from('{"version":1}');

type Headers = Record<string, string>;

function signed(changes: Partial<Parameters<typeof signCall>[0]> = {}): Headers {
  return signCall({ method: 'PUT', url: URL_OF_CALL, body: BODY, key, now: NOW, ...changes });
}

/** The call as it arrives with these headers. */
function received(
  headers: Headers,
  changes: Partial<Omit<ReceivedCall, 'header'>> & { host?: string } = {},
): ReceivedCall {
  const { host = 'ads.example:8070', ...rest } = changes;
  const { pathname, search } = new URL(URL_OF_CALL);
  const lower = Object.fromEntries(
    Object.entries({ host, ...headers }).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { method: 'PUT', path: pathname + search, body: BODY, ...rest, header: (name) => lower[name] };
}

const rules = (nowMs = NOW, jwks = [key.publicJwk]) => ({
  resolveKey: keysOf({ keys: jwks }),
  replay: memoryReplayStore(),
  now: () => nowMs,
});

describe('a signed call to an ad server', () => {
  it.each(SIGNATURE_ALGS)('is good for an independent implementation of RFC 9421, by %s', async (alg) => {
    const own = generateSigningKey(alg, { names });
    for (const url of [URL_OF_CALL, 'http://ads.example/v1/description', 'https://Ads.Example:443/v1/inventory?']) {
      const headers = signed({ url, key: own });
      const publicKey = createPublicKey({ key: own.publicJwk, format: 'jwk' });
      const request = {
        method: 'PUT',
        url,
        headers: Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toLowerCase(), v])),
      };
      const isGood = await httpbis.verifyMessage(
        {
          keyLookup: ({ keyid }) =>
            Promise.resolve({
              id: keyid ?? '',
              algs: [alg],
              verify: (data: Buffer, signature: Buffer) =>
                Promise.resolve(
                  verify(
                    alg === 'ed25519' ? null : 'sha256',
                    data,
                    { key: publicKey, dsaEncoding: 'ieee-p1363' },
                    signature,
                  ),
                ),
            }),
          requiredFields: ['@method', '@authority', '@path', '@query', 'content-digest'],
          requiredParams: ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'],
          notAfter: new Date(NOW + 1000),
          tolerance: 10 ** 9,
        },
        request,
      );
      expect([url, isGood]).toEqual([url, true]);
    }
  });

  it('says in the forms of the RFC what it covers, for a minute, by which key and what for', () => {
    const { 'Content-Digest': digest, 'Signature-Input': input, Signature: signature } = signed();
    expect(digest).toBe(`sha-256=:${createHash('sha256').update(BODY).digest('base64')}:`);
    expect(input).toMatch(
      /^sig1=\("@method" "@authority" "@path" "@query" "content-digest"\);created=1767225600;expires=1767225660;nonce="[\w-]{22}";/,
    );
    expect(input?.endsWith(`;keyid="${key.kid}";alg="ed25519";tag="ad-server-bridge/v1"`)).toBe(true);
    expect(signature).toMatch(/^sig1=:[A-Za-z0-9+/]{86}==:$/);
  });

  it('is verified, with a body and without', async () => {
    expect(await faultOfCall(received(signed()), rules())).toBeUndefined();
    const empty = Buffer.alloc(0);
    const headers = signed({ method: 'GET', body: empty });
    expect(await faultOfCall(received(headers, { method: 'GET', body: empty }), rules())).toBeUndefined();
  });

  it('is refused once anything of it is altered', async () => {
    const headers = signed();
    const calls: [string, ReceivedCall][] = [
      ['method', received(headers, { method: 'POST' })],
      ['path', received(headers, { path: '/v1/orders/mb_2?cursor=a%3Fb' })],
      ['query', received(headers, { path: '/v1/orders/~.%5Bmb%5D%2F1?cursor=b' })],
      ['host', received(headers, { host: 'other.example' })],
      ['body', received(headers, { body: Buffer.from('{"version":2}') })],
      [
        'digest',
        received({ ...headers, 'Content-Digest': signed({ body: Buffer.from('x') })['Content-Digest'] ?? '' }),
      ],
      ['parameter', received(altered(headers, 'Signature-Input', 'expires=1767225660', 'expires=1767225661'))],
      ['signature', received({ ...headers, Signature: signed()['Signature'] ?? '' })],
    ];
    for (const [what, call] of calls)
      expect([what, await faultOfCall(call, rules())]).toEqual([what, expect.any(String)]);
  });

  it('is refused when it is forged, unknown, old, early, partial or sent again', async () => {
    const forged = signed({ key: { ...generateSigningKey('ed25519', { names }), kid: key.kid } });
    expect(await faultOfCall(received(forged), rules())).toMatch(/not good/);
    expect(await faultOfCall(received(signed()), rules(NOW, []))).toMatch(/no key that is published/);
    expect(await faultOfCall(received(signed()), rules(NOW + 121_000))).toMatch(/not valid at this time/);
    expect(await faultOfCall(received(signed()), rules(NOW - 61_000))).toMatch(/not valid at this time/);
    expect(await faultOfCall(received(altered(signed(), 'Signature-Input', ' "@query"', '')), rules())).toMatch(
      /must cover/,
    );
    expect(await faultOfCall(received({}), rules())).toMatch(/no signature/);
    const once = rules();
    const call = received(signed());
    expect([await faultOfCall(call, once), await faultOfCall(call, once)]).toEqual([
      undefined,
      'the call was received before',
    ]);
  });

  it('is no webhook, and no webhook is one', async () => {
    const url = 'https://ads.example/v1/orders/mb_1';
    const webhook = signRequest({ url, body: BODY, key, now: NOW, names });
    const asCall = received(webhook, { method: 'POST', path: '/v1/orders/mb_1', host: 'ads.example' });
    expect(await faultOfCall(asCall, rules())).toBeDefined();
    const tagged = altered(signed(), 'Signature-Input', CALL_TAG, names.webhookSignatureTag);
    expect(await faultOfCall(received(tagged), rules())).toMatch(/tag/);
    const headers = { ...signed({ method: 'POST', url }), 'Content-Type': 'application/json' };
    const verdict = await verifyWebhook(
      { method: 'POST', url, headers, rawBody: BODY },
      { mode: 'rfc9421', jwks: { keys: [key.publicJwk] } },
      { replay: memoryReplayStore(), now: () => NOW },
    );
    expect(verdict).toMatchObject({ ok: false, code: 'webhook_signature_tag_invalid' });
  });
});

function altered(headers: Headers, name: string, before: string, after: string): Headers {
  const text = headers[name] ?? '';
  if (!text.includes(before)) throw new Error(`${name} has no ${before}`);
  return { ...headers, [name]: text.replace(before, after) };
}
