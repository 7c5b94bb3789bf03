import type { JWTPayload } from 'jose';

/** The address that an issuer says is verified, in lower case; null when it says no such address. */
export function verifiedEmail({
  email,
  email_verified,
}: JWTPayload & { email?: unknown; email_verified?: unknown }): string | null {
  return typeof email === 'string' && email_verified === true ? email.trim().toLowerCase() : null;
}

/** By which an issuer may sign: asymmetric, so that its published keys make no token. */
export const TOKEN_ALGS = ['EdDSA', 'Ed25519', 'ES256', 'RS256', 'PS256'];
