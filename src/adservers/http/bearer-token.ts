import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether an `Authorization` header carries this token, without saying by time how much of it is right. */
export function hasBearerToken(authorization: string | undefined, token: string): boolean {
  const [, given] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
