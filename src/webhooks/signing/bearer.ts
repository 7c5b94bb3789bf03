import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The legacy header that shows a token; it protects no byte of the body (rule C.webhook.bearer). */
export function bearerHeader(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

const COMPARISON_KEY = randomBytes(32);

/**
 * Whether the header shows one of the tokens, compared in constant time whatever their lengths. Several may be given
 * while one replaces another; all are always tried.
 */
export function verifyBearer(authorization: string | undefined, tokens: readonly string[]): boolean {
  const shown = bearerTokenOf(authorization);
  if (shown === undefined) return false;
  const blinded = blind(shown);
  return tokens.map((token) => timingSafeEqual(blinded, blind(token))).includes(true);
}

/** The token of an `Authorization` header of scheme `Bearer`. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^bearer +([^ ]+) *$/i.exec(authorization ?? '')?.[1];
}

function blind(token: string): Buffer {
  return createHmac('sha256', COMPARISON_KEY).update(token).digest();
}
