import { createHash } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import { TOKEN_ALGS, verifiedEmail } from './verified-email.ts';

export interface AccessTokenDeps {
  /** Must be the token's `iss`, character by character. */
  issuer: string;
  /** Must be in the token's `aud`: the resource identifier (RFC 8707) that the token is shown to. */
  audience: string;
  /** The issuer's keys. */
  keys: JWTVerifyGetKey;
  clock: Clock;
  /** Whether the grant that a token must name has ended; absent where the issuer's grants are not known here. */
  hasEnded?: (grantId: string) => Promise<boolean>;
}

/** What a good access token says. */
export interface AccessToken {
  /** Of issuer and subject, so that two issuers' users never mix. */
  user_id: string;
  /** Lower case, and verified by the issuer; null when the token says no such address. */
  email: string | null;
  /** Undefined when the token has no `scope` claim: the issuer says nothing of scopes. */
  scopes: readonly string[] | undefined;
  /** For which of the user's organizations the token is meant; undefined when it does not say. */
  organization_id: OrganizationId | undefined;
}

/**
 * Checks an access token; undefined when it is not good. One that was good at `since`, in milliseconds, and is merely old by now
 * is good where its grant is known to go on.
 * @throws when that cannot be found out.
 */
export type VerifyAccessToken = (token: string, since?: number) => Promise<AccessToken | undefined>;

/**
 * Checks a JWT access token (rule R13, RFC 9068): type, signature by an asymmetric algorithm, issuer, audience, expiry,
 * with 30 seconds allowed for clocks that differ, and whether its grant goes on.
 * @throws when the issuer's keys cannot be had: a fault, since the token may be good.
 */
export function accessTokenVerifier({ issuer, audience, keys, clock, hasEnded }: AccessTokenDeps): VerifyAccessToken {
  return async (token, since) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        typ: 'at+jwt',
        algorithms: TOKEN_ALGS,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: 30,
        currentDate: new Date(hasEnded === undefined ? clock.now() : (since ?? clock.now())),
      });
      const { sub = '', scope, organization_id, grant_id } = payload;
      // This installation's issuer names the grant in every token; one that names none was made elsewhere, with a copied key.
      if (hasEnded !== undefined && (typeof grant_id !== 'string' || (await hasEnded(grant_id)))) return undefined;
      return {
        user_id: userIdOf(issuer, sub),
        email: verifiedEmail(payload),
        scopes: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : undefined,
        organization_id: typeof organization_id === 'string' ? OrganizationId.parse(organization_id) : undefined,
      };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
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
