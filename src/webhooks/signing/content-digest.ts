import { createHash } from 'node:crypto';
import { encodeToken } from '#receiver/wire/tokens';

/**
 * The `Content-Digest` header for these exact bytes: `sha-256=:<base64url-unpadded>:` (rule C.webhook.signatures.4).
 */
export function contentDigest(body: Uint8Array): string {
  return `sha-256=:${encodeToken(createHash('sha256').update(body).digest())}:`;
}
