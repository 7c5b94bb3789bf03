import { createHash } from 'node:crypto';

/** The strong ETag of what is served (RFC 9110 section 8.8.3): so many characters of its SHA-256, in quotes. */
export function strongEtag(content: string | Buffer, characters = 22): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, characters)}"`;
}
