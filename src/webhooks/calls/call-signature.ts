import { createHash, randomBytes } from 'node:crypto';
import { signBytes } from '../signing/algorithms.ts';
import type { SigningKey } from '../signing/signing-key.ts';

/**
 * What the signature of a call to an ad server covers (RFC 9421): all that says what is asked of whom. Neither scheme nor
 * token: what stands before an ad server may end TLS.
 */
export const CALL_COMPONENTS = ['@method', '@authority', '@path', '@query', 'content-digest'] as const;

/** Says what the signature is for. No webhook has it, so neither can be taken for the other. */
export const CALL_TAG = 'ad-server-bridge/v1';

/** How long a call's signature is valid, in seconds. */
const VALIDITY_SECONDS = 60;

export interface CallToSign {
  method: string;
  /** Absolute, as it is sent. */
  url: string;
  /** The exact bytes that are sent; none for a call without a body. */
  body: Uint8Array;
  key: SigningKey;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The headers to send a call with. Byte sequences are in standard base64, as in RFC 8941. */
export function signCall({ method, url, body, key, now }: CallToSign): Record<string, string> {
  const { host, pathname, search } = new URL(url);
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const created = Math.floor(now / 1000);
  const params =
    `(${CALL_COMPONENTS.map((name) => `"${name}"`).join(' ')});created=${created};expires=${created + VALIDITY_SECONDS}` +
    `;nonce="${randomBytes(16).toString('base64url')}";keyid="${key.kid}";alg="${key.alg}";tag="${CALL_TAG}"`;
  const base = callBase(CALL_COMPONENTS, callValues({ method, host, path: pathname + search, digest }), params);
  return {
    'Content-Digest': digest,
    'Signature-Input': `sig1=${params}`,
    Signature: `sig1=:${signBytes(key.alg, key.privateKey, base).toString('base64')}:`,
  };
}

/** The values that are signed; of a call without a query, `@query` is `?`. */
export function callValues(call: { method: string; host: string; path: string; digest: string }) {
  const [path = '/', ...query] = call.path.split('?');
  return {
    '@method': call.method,
    '@authority': call.host.toLowerCase(),
    '@path': path,
    '@query': `?${query.join('?')}`,
    'content-digest': call.digest,
  };
}

/** The bytes that are signed (RFC 9421, section 2.5); `params` in the very text of `Signature-Input`. */
export function callBase(
  order: readonly (typeof CALL_COMPONENTS)[number][],
  values: ReturnType<typeof callValues>,
  params: string,
): Buffer {
  const lines = order.map((name) => `"${name}": ${values[name]}\n`);
  return Buffer.from(`${lines.join('')}"@signature-params": ${params}`, 'latin1');
}
