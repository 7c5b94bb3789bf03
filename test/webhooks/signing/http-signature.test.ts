import { verify } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { signRequest } from '../../../src/webhooks/signing/http-signature.ts';
import { generateSigningKey, signingKeyFromJwk } from '../../../src/webhooks/signing/signing-key.ts';
import vectors from './vectors.json' with { type: 'json' };

const names = protocolNames();
const key = generateSigningKey('ed25519', { names });
const request = { url: 'https://buyer.example/hook', body: Buffer.from('{}'), key, now: 1_772_366_400_999, names };

function vectorKey(alg: string) {
  return signingKeyFromJwk(alg === 'ed25519' ? vectors.keys.ed25519 : vectors.keys['ecdsa-p256-sha256'], { names });
}

describe('signRequest', () => {
  it.each(vectors.signatures)(
    '[W13] [W14] [C.webhook.signatures.2] [C.webhook.signatures.4] [C.webhook.signatures.5] signs what an independent implementation signs: $name',
    (vector) => {
      const signed = signRequest({
        url: vector.url,
        contentType: vector.content_type,
        body: Buffer.from(vector.body),
        key: vectorKey(vector.alg),
        now: vector.created * 1000,
        nonce: vector.nonce,
        names,
      });
      const { Signature: expected, ...rest } = vector.headers;
      expect(signed).toMatchObject({ ...rest, 'Content-Type': vector.content_type });
      if (vector.alg === 'ed25519') expect(signed.Signature).toBe(expected);
      const publicKey = createPublicKey(vectorKey(vector.alg).privateKey);
      const token = Buffer.from(signed.Signature.slice('sig1=:'.length, -1), 'base64url');
      expect(token).toHaveLength(64);
      expect(
        verify(
          vector.alg === 'ed25519' ? null : 'sha256',
          Buffer.from(vector.signature_base),
          { key: publicKey, dsaEncoding: 'ieee-p1363' },
          token,
        ),
      ).toBe(true);
    },
  );

  it('[C.webhook.signatures.3] covers exactly the five components, with all six parameters', () => {
    expect(signRequest({ ...request, nonce: 'AAAAAAAAAAAAAAAAAAAAAA' })['Signature-Input']).toBe(
      'sig1=("@method" "@target-uri" "@authority" "content-type" "content-digest")' +
        `;created=1772366400;expires=1772366700;nonce="AAAAAAAAAAAAAAAAAAAAAA";keyid="${key.kid}";alg="ed25519"` +
        ';tag="proto/webhook-signing/v1"',
    );
  });

  it('uses a new nonce of 16 bytes for every signature', () => {
    const nonces = Array.from(
      { length: 100 },
      () => /nonce="([^"]*)"/.exec(signRequest(request)['Signature-Input'])?.[1],
    );
    expect(new Set(nonces).size).toBe(100);
    for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('[N1] tags after the protocol', () => {
    const signed = signRequest({ ...request, names: protocolNames('adcp') });
    expect(signed['Signature-Input']).toMatch(/;tag="adcp\/webhook-signing\/v1"$/);
  });

  it.each([0, -1, 301, Number.NaN, Infinity])(
    '[C.webhook.signatures.7] refuses a validity of %d s',
    (validitySeconds) => {
      expect(() => signRequest({ ...request, validitySeconds })).toThrow(RangeError);
    },
  );

  it('is valid for as long as it is told, up to 300 s', () => {
    const { 'Signature-Input': input } = signRequest({ ...request, validitySeconds: 1 });
    expect(input).toContain(';created=1772366400;expires=1772366401;');
  });

  it('[W14] refuses a URL that has no canonical form, without repeating it', () => {
    expect(() => signRequest({ ...request, url: 'https://user:secret@/p' })).toThrow(/^(?!.*secret).*malformed/);
  });
});
