import { createHash } from 'node:crypto';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Grant } from './grant.ts';
import type { ReadToken } from './token-form.ts';

export interface GrantDeps {
  grants: Collection<Grant>;
  clock: Clock;
  security: SecurityLog;
}

/** A refresh token ends after so long without use, and its family after so long altogether. */
const IDLE_LIFE_MS = 30 * 86_400_000;
const WHOLE_LIFE_MS = 90 * 86_400_000;

export interface CodeUse {
  client_id: string;
  redirect_uri: string;
  code_verifier: string;
  /** Of a client that is given no tokens: how long what it was allowed lasts, in milliseconds. */
  lifeMs?: number;
}

/**
 * Uses a code, once: of any number of uses at once one succeeds, and any other ends what came of it (RFC 6749, 4.1.2).
 * Answers the grant, whose first refresh token is then good, where it is given any.
 * @throws {OAuthError} `invalid_grant`.
 */
export async function useCode(deps: GrantDeps, code: ReadToken | undefined, use: CodeUse): Promise<Grant> {
  const row = code && (await deps.grants.get(code.grant_id));
  if (row?.client_id !== use.client_id || row.redirect_uri !== use.redirect_uri || !isProvedBy(row, use.code_verifier))
    throw new OAuthError(
      'invalid_grant',
      'the code is unknown, or was issued for another client, redirect or verifier',
    );
  const now = deps.clock.now();
  const result = await deps.grants.update(row.grant_id, (stored) =>
    stored.exchanged_at === null && stored.revoked_at === null && toTimestamp(now) < stored.code_expires_at
      ? { ...stored, exchanged_at: toTimestamp(now), ...lifeOf(stored, now, use.lifeMs) }
      : undefined,
  );
  if (result?.changed === true) return result.row;
  if (result?.row.exchanged_at === null) throw new OAuthError('invalid_grant', 'the code has expired');
  await revoke(deps, row.grant_id, 'code_reused');
  throw new OAuthError('invalid_grant', 'the code has been used; what came of it is revoked');
}

/**
 * Uses a refresh token, once; the next number is then the good one. A second use of any, at once or later, means that two
 * hold it: the whole family ends (OAuth 2.1, 4.3.1).
 * @throws {OAuthError} `invalid_grant`.
 */
export async function useRefreshToken(
  deps: GrantDeps,
  token: ReadToken | undefined,
  client_id: string,
): Promise<Grant> {
  const row = token && (await deps.grants.get(token.grant_id));
  const now = deps.clock.now();
  if (token === undefined || row?.client_id !== client_id || row.refresh_expires_at === null)
    throw new OAuthError('invalid_grant', 'the refresh token is unknown');
  if (row.revoked_at !== null) throw new OAuthError('invalid_grant', 'the refresh token is revoked');
  if (row.refresh_expires_at <= toTimestamp(now))
    throw new OAuthError('invalid_grant', 'the refresh token has expired');
  const result = await deps.grants.update(row.grant_id, (stored) =>
    stored.refresh_number === token.number && stored.revoked_at === null
      ? { ...stored, ...refreshLife(stored, now), refresh_number: token.number + 1 }
      : undefined,
  );
  if (result?.changed === true) return result.row;
  await revoke(deps, row.grant_id, 'refresh_token_reused');
  throw new OAuthError('invalid_grant', 'the refresh token has been used before; all that came of it are revoked');
}

/** Ends a grant: its code and its refresh tokens at once, its access tokens within the seconds of `endedGrants`. */
export async function revoke(
  { grants, clock, security }: GrantDeps,
  grant_id: string,
  because: NonNullable<Grant['revoked_because']>,
): Promise<void> {
  const revoked_at = toTimestamp(clock.now());
  const result = await grants.update(grant_id, (row) =>
    row.revoked_at === null ? { ...row, revoked_at, revoked_because: because } : undefined,
  );
  if (result?.changed === true)
    security.record('grant.revoked', { subject: result.row.subject, target: result.row.client_id, reason: because });
}

/** How a grant whose code has been used goes on: by refresh tokens, or without any for a time. */
function lifeOf(stored: Grant, now: number, lifeMs: number | undefined): Partial<Grant> {
  if (lifeMs !== undefined) return { expires_at: toTimestamp(now + lifeMs) };
  return { ...refreshLife(stored, now), refresh_number: 1 };
}

/** The row stays as long as a token of it could be shown, so that a reuse is seen. */
function refreshLife({ created_at }: Grant, now: number): Pick<Grant, 'refresh_expires_at' | 'expires_at'> {
  const end = toTimestamp(Math.min(now + IDLE_LIFE_MS, fromTimestamp(created_at) + WHOLE_LIFE_MS));
  return { refresh_expires_at: end, expires_at: end };
}

function isProvedBy({ code_challenge }: Grant, verifier: string): boolean {
  return createHash('sha256').update(verifier).digest('base64url') === code_challenge;
}
