import { timingSafeEqual } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { TOKEN_ALGS, verifiedEmail } from './verified-email.ts';

export interface IdTokenRules {
  /** Must be the token's `iss`, character by character. */
  issuer: string;
  /** Must be its audience. */
  client_id: string;
  /** That its sign-in was asked with. */
  nonce: string;
  /** In seconds, how long ago they may have proved who they are; absent: the token need not say. */
  max_age?: number | undefined;
  keys: JWTVerifyGetKey;
  clock: Clock;
}

/** Who has signed in elsewhere. */
export interface Identity {
  issuer: string;
  /** Names them at the issuer, for good. */
  subject: string;
  /** Lower case; null unless the issuer says that it is verified. */
  email: string | null;
  /** When they proved who they are, by `auth_time`; null where the token does not say. */
  authenticated_at: string | null;
  /** All that the token says. */
  claims: Readonly<Record<string, unknown>>;
}

/** Of a sign-in that was to prove anew who somebody is, and does not say that it did. */
export const NOT_OF_LATE = 'the ID token does not say that they signed in of late (auth_time)';

/** What a sign-in elsewhere came to. */
export type SignInVerdict = { identity: Identity } | { refused: string };

/** Of an ID token, in seconds: the code that it was exchanged for is used within moments. */
const MAX_AGE_SECONDS = 600;
const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * Checks an ID token (OpenID Connect Core, section 3.1.3.7): signature by an asymmetric algorithm, issuer, audience, authorized
 * party, nonce, age and expiry, with 30 seconds allowed for clocks that differ.
 * @throws when the issuer's keys cannot be had: the token may be good.
 */
export async function checkIdToken(token: string, rules: IdTokenRules): Promise<SignInVerdict> {
  const { issuer, client_id, nonce, max_age, keys, clock } = rules;
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: client_id,
      algorithms: TOKEN_ALGS,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
      currentDate: new Date(clock.now()),
    });
    if (!isForUs(payload, client_id)) return { refused: 'the ID token is for another application' };
    if (!isSame(payload['nonce'], nonce)) return { refused: 'the ID token is of another sign-in' };
    if (payload.sub === undefined || payload.sub === '') return { refused: 'the ID token names nobody' };
    const authenticatedMs = authTimeOf(payload, clock.now());
    if (
      max_age !== undefined &&
      !(clock.now() - (authenticatedMs ?? NaN) <= (max_age + CLOCK_TOLERANCE_SECONDS) * 1000)
    )
      return { refused: NOT_OF_LATE };
    const authenticated_at = authenticatedMs === undefined ? null : toTimestamp(authenticatedMs);
    const email = verifiedEmail(payload);
    return { identity: { issuer, subject: payload.sub, email, authenticated_at, claims: payload } };
  } catch (error) {
    if (error instanceof errors.JOSEError) return { refused: `the ID token is not good: ${error.code}` };
    throw error;
  }
}

function isForUs({ aud, azp }: JWTPayload & { azp?: unknown }, client_id: string): boolean {
  if (azp !== undefined) return azp === client_id;
  return !Array.isArray(aud) || aud.length === 1;
}

/** In milliseconds, no later than now; undefined where the token does not say, or names a time that is still to come. */
function authTimeOf({ auth_time }: JWTPayload & { auth_time?: unknown }, now: number): number | undefined {
  if (typeof auth_time !== 'number' || !(auth_time > 0 && auth_time * 1000 <= now + CLOCK_TOLERANCE_SECONDS * 1000))
    return undefined;
  return Math.min(auth_time * 1000, now);
}

function isSame(given: unknown, expected: string): boolean {
  if (typeof given !== 'string') return false;
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
