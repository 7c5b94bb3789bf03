import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { createSignature, verifySignature } from 'http-message-sig';
import { httpbis } from 'http-message-signatures';
import { describe, expect, it } from 'vitest';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import { contentDigest } from '../../src/webhooks/signing/content-digest.ts';
import { signRequest } from '../../src/webhooks/signing/http-signature.ts';
import { canonicalTargetUri } from '#receiver/wire/target-uri';
import vectors from '../webhooks/signing/vectors.json' with { type: 'json' };
import { craft, ED25519, ES256, NAMES, NOW, NOW_SECONDS, rules, verifySigned } from './craft.ts';

const FIVE = ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'];
const SIX = ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'];
const keyFor = (alg: SignatureAlg) => (alg === 'ed25519' ? ED25519 : ES256);
const anyAlg = fc.constantFrom<SignatureAlg>('ed25519', 'ecdsa-p256-sha256');
const anyUrl = fc
  .tuple(
    fc.constantFrom('https://buyer.example', 'https://b.example:8443', 'http://[::1]:81'),
    fc.webPath(),
    fc.webQueryParameters(),
  )
  .map(([origin, path, query]) => `${origin}${path}${query === '' ? '' : `?${query}`}`);
const anyBody = fc.oneof(fc.json(), fc.json({ stringUnit: 'binary' })).map((json) => Buffer.from(json));
const anyContentType = fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/Json;v=2');
const anyRequest = fc.record({
  url: anyUrl,
  body: anyBody,
  contentType: anyContentType,
  alg: anyAlg,
  validitySeconds: fc.integer({ min: 1, max: 300 }),
});

function signBytes(alg: SignatureAlg, key: KeyObject, data: Uint8Array): Buffer {
  return alg === 'ed25519' ? sign(null, data, key) : sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
}

function verifyBytes(alg: SignatureAlg, key: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  return alg === 'ed25519'
    ? verify(null, data, key, signature)
    : verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** The two judges know only standard base64; what is signed is not touched by the translation. */
function inStandardBase64(signature: string): string {
  return signature.replace(
    /:([^:]*):/,
    (_all, token: string) => `:${Buffer.from(token, 'base64url').toString('base64')}:`,
  );
}

describe('what is signed', () => {
  it('[W12] [W13] [W14] is verified: any body, URL, content type, algorithm and validity', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ url, body, contentType, alg, validitySeconds }) => {
        const key = keyFor(alg);
        const headers = signRequest({ url, body, contentType, key, now: NOW, names: NAMES, validitySeconds });
        const verdict = await verifySigned({ method: 'POST', url, headers, rawBody: body }, rules());
        expect(verdict).toEqual({ ok: true, keyid: key.kid, sender: 'unnamed' });
      }),
    );
  });

  it.each(vectors.signatures)(
    '[W13] [W14] verifies what an independent implementation signed: $name',
    async (vector) => {
      const jwk = vector.alg === 'ed25519' ? vectors.keys.ed25519 : vectors.keys['ecdsa-p256-sha256'];
      const { d: _private, ...published } = jwk;
      const keys = [{ ...published, use: 'sig', key_ops: ['verify'], proto_use: 'request-signing' }];
      const headers = { 'Content-Type': vector.content_type, ...vector.headers };
      const request = { method: 'POST', url: vector.url, headers, rawBody: Buffer.from(vector.body) };
      expect(await verifySigned(request, rules({ keys }))).toMatchObject({ ok: true, keyid: jwk.kid });
    },
  );

  it('[W13] [W14] is verified by http-message-signatures', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ url, body, contentType, alg }) => {
        const key = keyFor(alg);
        const { uri } = canonicalTargetUri(url) ?? { uri: '' };
        const signed = signRequest({ url, body, contentType, key, now: NOW, names: NAMES });
        const publicKey = createPublicKey(key.privateKey);
        const verified = await httpbis.verifyMessage(
          {
            keyLookup: () =>
              Promise.resolve({ verify: (data, bytes) => Promise.resolve(verifyBytes(alg, publicKey, data, bytes)) }),
            requiredFields: FIVE,
            requiredParams: SIX,
            tolerance: 1e9,
          },
          { method: 'POST', url: uri, headers: { ...signed, Signature: inStandardBase64(signed.Signature) } },
        );
        expect(verified).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('[W13] [W14] is verified by http-message-sig', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ url, body, contentType, alg }) => {
        const key = keyFor(alg);
        const { uri } = canonicalTargetUri(url) ?? { uri: '' };
        const signed = signRequest({ url, body, contentType, key, now: NOW, names: NAMES });
        const publicKey = createPublicKey(key.privateKey);
        const fields = Object.entries({ ...signed, Signature: inStandardBase64(signed.Signature) });
        const verified = await verifySignature(
          { kind: 'request', method: 'POST', targetUri: uri, fields: fields.map(([name, value]) => ({ name, value })) },
          {
            label: 'sig1',
            policy: { algorithms: [alg], requiredComponents: FIVE, requiredParameters: SIX, now: NOW_SECONDS },
            resolveVerifier: () => ({
              algorithm: alg,
              verify: (data, bytes) => verifyBytes(alg, publicKey, data, bytes),
            }),
          },
        );
        expect(verified.parameters).toMatchObject({ keyid: key.kid, tag: 'proto/webhook-signing/v1' });
      }),
      { numRuns: 50 },
    );
  });
});

describe('what others sign', () => {
  const body = Buffer.from('{"task_id":"t"}');
  const url = 'https://buyer.example/hook?a=1';
  const fields = { 'content-type': 'application/json', 'content-digest': contentDigest(body) };
  const params = { nonce: 'BBBBBBBBBBBBBBBBBBBBBA', tag: 'proto/webhook-signing/v1' };

  it.each([ED25519, ES256])('[W12] [W13] is verified when http-message-signatures signed it: $alg', async (key) => {
    const privateKey = createPrivateKey(key.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const { headers } = await httpbis.signMessage(
      {
        key: { id: key.kid, alg: key.alg, sign: (data) => Promise.resolve(signBytes(key.alg, privateKey, data)) },
        name: 'sig1',
        fields: FIVE,
        params: ['keyid', 'alg', 'tag', 'nonce', 'created', 'expires'],
        paramValues: { ...params, created: new Date(NOW), expires: new Date(NOW + 60_000) },
      },
      { method: 'POST', url, headers: fields },
    );
    expect(await verifySigned({ method: 'POST', url, headers, rawBody: body }, rules())).toMatchObject({ ok: true });
  });

  it.each([ED25519, ES256])('[W12] [W13] is verified when http-message-sig signed it: $alg', async (key) => {
    const { signature, signatureInput } = await createSignature(
      {
        kind: 'request',
        method: 'POST',
        targetUri: url,
        fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
      },
      {
        label: 'sig1',
        components: FIVE,
        parameters: { ...params, created: NOW_SECONDS, expires: NOW_SECONDS + 60, keyid: key.kid, alg: key.alg },
        signer: { algorithm: key.alg, sign: (data) => signBytes(key.alg, key.privateKey, data) },
      },
    );
    const headers = { ...fields, signature, 'signature-input': signatureInput };
    expect(await verifySigned({ method: 'POST', url, headers, rawBody: body }, rules())).toMatchObject({ ok: true });
  });
});

describe('one flipped bit', () => {
  /** Every text that differs from this one in one of the seven bits of one ASCII character. */
  function* flippedTexts(text: string): Generator<string> {
    for (let at = 0; at < text.length; at += 1) {
      for (let bit = 0; bit < 7; bit += 1) {
        yield text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1);
      }
    }
  }

  async function codesOf(
    change: (crafted: ReturnType<typeof craft>, flipped: string) => void,
    text: string,
  ): Promise<Set<string>> {
    const codes = new Set<string>();
    for (const flipped of flippedTexts(text)) {
      const request = craft();
      change(request, flipped);
      const verdict = await verifySigned(request, rules());
      codes.add(verdict.ok ? `ok with ${flipped}` : verdict.code);
    }
    return codes;
  }

  it('[W12] in the body is a digest that does not match', async () => {
    const { rawBody } = craft();
    for (let bit = 0; bit < rawBody.length * 8; bit += 1) {
      const request = craft();
      request.rawBody = Buffer.from(rawBody);
      request.rawBody[bit >> 3] = (rawBody[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await verifySigned(request, rules())).toMatchObject({ code: 'webhook_signature_digest_mismatch' });
    }
  });

  it('[W12] in the method is a signature that is not good', async () => {
    const codes = await codesOf((request, flipped) => (request.method = flipped), 'POST');
    expect(codes).toEqual(new Set(['webhook_signature_invalid']));
  });

  it('[W12] in the content type is no JSON, or a signature that is not good', async () => {
    const codes = await codesOf(({ headers }, flipped) => (headers['content-type'] = flipped), 'application/json');
    expect(codes).toEqual(new Set(['webhook_content_type_unsupported', 'webhook_signature_invalid']));
  });

  it('[W12] [W13] in the digest is a malformed header, or a signature that is not good', async () => {
    const { headers } = craft();
    const codes = await codesOf(
      (request, flipped) => (request.headers['content-digest'] = flipped),
      headers['content-digest'] ?? '',
    );
    expect(codes).toEqual(new Set(['webhook_signature_header_malformed', 'webhook_signature_invalid']));
  });

  it('[W12] [W13] in the signature is a malformed header, or a signature that is not good', async () => {
    const { headers } = craft();
    const codes = await codesOf(
      (request, flipped) => (request.headers['signature'] = flipped),
      headers['signature'] ?? '',
    );
    expect(codes).toEqual(new Set(['webhook_signature_header_malformed', 'webhook_signature_invalid']));
  });

  it('[W12] in the signature input fails at the step that reads it', async () => {
    const { headers } = craft();
    const codes = await codesOf(
      (request, flipped) => (request.headers['signature-input'] = flipped),
      headers['signature-input'] ?? '',
    );
    expect(codes).toEqual(
      new Set([
        'webhook_signature_header_malformed',
        'webhook_signature_params_incomplete',
        'webhook_signature_tag_invalid',
        'webhook_signature_alg_not_allowed',
        'webhook_signature_window_invalid',
        'webhook_signature_components_incomplete',
        'webhook_signature_key_unknown',
        'webhook_signature_invalid',
      ]),
    );
  });

  it('[W12] [W14] in the URL is a malformed target, or a signature that is not good, unless it means the same', async () => {
    const { url } = craft();
    const codes = await codesOf((request, flipped) => {
      const isTheSame = canonicalTargetUri(flipped)?.uri === canonicalTargetUri(url)?.uri;
      request.url = isTheSame ? 'https://buyer.example/else' : flipped;
      Reflect.deleteProperty(request.headers, 'host');
    }, url);
    expect(codes).toEqual(new Set(['webhook_target_uri_malformed', 'webhook_signature_invalid']));
  });
});
