import { createHash, createPublicKey, verify } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { NAMES } from './open-sender.ts';
import type { Received } from './received.ts';

/**
 * Verifies a webhook with an independent implementation of RFC 9421. The profile's base64url is not legal in structured
 * fields, so the alphabet of the signature is translated for it; the signed text is untouched. Answers the parameters.
 * @throws when anything is wrong.
 */
export async function judge(
  received: Received,
  keys: readonly { kid: string; alg: string }[],
  nowMs: number,
  tag = NAMES.webhookSignatureTag,
): Promise<Record<string, unknown>> {
  const digest = createHash('sha256').update(received.rawBody).digest('base64url');
  if (received.headers['content-digest'] !== `sha-256=:${digest}:`) throw new Error('the digest is not of these bytes');
  const headers = { ...received.headers, signature: standardAlphabet(received.headers['signature'] ?? '') };
  let seen: Record<string, unknown> = {};
  const verified = await httpbis.verifyMessage(
    {
      keyLookup: (params) => {
        seen = { ...params };
        const jwk = keys.find(({ kid }) => kid === params.keyid);
        if (jwk === undefined) return Promise.resolve(null);
        const key = createPublicKey({ key: jwk as unknown as JsonWebKey, format: 'jwk' });
        return Promise.resolve({
          id: jwk.kid,
          algs: ['ed25519', 'ecdsa-p256-sha256'],
          verify: (data: Buffer, signature: Buffer) =>
            Promise.resolve(
              jwk.alg === 'EdDSA'
                ? verify(null, data, key, signature)
                : verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature),
            ),
        });
      },
      requiredFields: ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'],
      requiredParams: ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'],
      notAfter: new Date(nowMs + 1000),
      tolerance: 10 ** 9,
    },
    { method: received.method, url: received.url, headers },
  );
  if (verified !== true) throw new Error('the signature is not good');
  if (seen['tag'] !== tag) throw new Error('the tag is wrong');
  return seen;
}

function standardAlphabet(signature: string): string {
  return signature.replace(/^sig1=:([A-Za-z0-9_-]+):$/, (_all, token: string) => {
    return `sig1=:${Buffer.from(token, 'base64url').toString('base64')}:`;
  });
}
