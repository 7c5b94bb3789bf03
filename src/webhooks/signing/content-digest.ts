import { createHash } from 'node:crypto';
import { encodeToken } from './tokens.ts';

/** SHA-256 of the exact bytes of a body. */
export function digestOf(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest();
}

/**
 * The `Content-Digest` header for these exact bytes: `sha-256=:<base64url-unpadded>:` (rule C.webhook.signatures.4).
 */
export function contentDigest(body: Uint8Array): string {
  return `sha-256=:${encodeToken(digestOf(body))}:`;
}
