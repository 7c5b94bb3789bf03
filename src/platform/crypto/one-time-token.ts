import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits in base64url. */
export function newOneTimeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token: SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
