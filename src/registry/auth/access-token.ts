import { createHash } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import type { VerifyAccessToken } from './authenticate.ts';

export interface AccessTokenDeps {
  /** Must be the token's `iss`, character by character. */
  issuer: string;
  /** Must be in the token's `aud`: this registry's resource identifier. */
  audience: string;
  /** The issuer's key set, such as jose's `createRemoteJWKSet` or `createLocalJWKSet`. */
  keys: JWTVerifyGetKey;
  clock: Clock;
}

/**
 * Checks a JWT's signature, issuer, audience and expiry (R13, RFC 9068). Asymmetric algorithms only.
 * @throws when the issuer's keys cannot be had: a fault, since the token may be good.
 */
export function accessTokenVerifier({ issuer, audience, keys, clock }: AccessTokenDeps): VerifyAccessToken {
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ['EdDSA', 'ES256', 'RS256', 'PS256'],
        requiredClaims: ['sub', 'exp'],
        clockTolerance: 30,
        currentDate: new Date(clock.now()),
      });
      return { user_id: userIdOf(issuer, payload.sub ?? ''), email: verifiedEmail(payload) };
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
      throw error;
    }
  };
}

/** A user's id: of issuer and subject, so that two issuers' users never mix. */
export function userIdOf(issuer: string, subject: string): string {
  return `user_${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 32)}`;
}

function verifiedEmail({
  email,
  email_verified,
}: JWTPayload & { email?: unknown; email_verified?: unknown }): string | null {
  return typeof email === 'string' && email_verified === true ? email.trim().toLowerCase() : null;
}
