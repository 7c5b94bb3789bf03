import { randomBytes } from 'node:crypto';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { signBytes } from './algorithms.ts';
import { contentDigest } from './content-digest.ts';
import { COVERED_COMPONENTS, MAX_VALIDITY_SECONDS, signatureBase } from '#receiver/wire/signature-base';
import type { SigningKey } from './signing-key.ts';
import { canonicalTargetUri } from '#receiver/wire/target-uri';
import { encodeToken } from '#receiver/wire/tokens';

export interface SignRequest {
  /** Default `POST`. */
  method?: string;
  url: string;
  /** Default `application/json`. */
  contentType?: string;
  /** The exact bytes that will be sent. */
  body: Uint8Array;
  key: SigningKey;
  /** Milliseconds since the epoch. */
  now: number;
  names: ProtocolNames;
  /** base64url; default 16 random bytes, new for each signature. */
  nonce?: string;
  /** 1–300; default 300. */
  validitySeconds?: number;
}

/** The headers to send with the body; a type alias, so that it passes where a record of headers is wanted. */
export type SignatureHeaders = {
  'Content-Type': string;
  'Content-Digest': string;
  'Signature-Input': string;
  Signature: string;
};

const COVERED_LIST = `(${COVERED_COMPONENTS.map((name) => `"${name}"`).join(' ')})`;

/**
 * Signs one request after the RFC 9421 webhook profile (rules C.webhook.signatures.3, W13, W14). Sign anew
 * for each attempt: nonce and times belong to the attempt, the body to the event.
 *
 * Send it to {@link canonicalTargetUri}'s `origin` and `path`, so that the receiver sees what was signed.
 * @throws {RangeError} when the URL has no canonical form or the validity is out of bounds.
 */
export function signRequest(request: SignRequest): SignatureHeaders {
  const { method = 'POST', contentType = 'application/json', validitySeconds = MAX_VALIDITY_SECONDS } = request;
  const target = canonicalTargetUri(request.url);
  if (target === undefined) throw new RangeError('the webhook URL cannot be signed: it is malformed');
  if (!(validitySeconds >= 1 && validitySeconds <= MAX_VALIDITY_SECONDS)) {
    throw new RangeError('a signature is valid for 1 to 300 seconds');
  }
  const digest = contentDigest(request.body);
  const params = COVERED_LIST + signatureParams(request, Math.floor(validitySeconds));
  const base = signatureBase(
    COVERED_COMPONENTS,
    {
      '@method': method,
      '@target-uri': target.uri,
      '@authority': target.authority,
      'content-type': contentType,
      'content-digest': digest,
    },
    params,
  );
  const signature = signBytes(request.key.alg, request.key.privateKey, base);
  return {
    'Content-Type': contentType,
    'Content-Digest': digest,
    'Signature-Input': `sig1=${params}`,
    Signature: `sig1=:${encodeToken(signature)}:`,
  };
}

function signatureParams({ key, now, nonce, names }: SignRequest, validitySeconds: number): string {
  const created = Math.floor(now / 1000);
  return (
    `;created=${created};expires=${created + validitySeconds}` +
    `;nonce="${nonce ?? encodeToken(randomBytes(16))}";keyid="${key.kid}";alg="${key.alg}"` +
    `;tag="${names.webhookSignatureTag}"`
  );
}
