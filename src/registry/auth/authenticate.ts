import type { Authenticator } from '../../directory/api-key/authenticator.ts';
import type { VerifyAccessToken } from '../../directory/oauth/access-token.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { takeAndTell } from '../../platform/budget/take-and-tell.ts';
import type { Say } from '../../platform/budget/take-and-tell.ts';
import { addressKey } from '../../platform/client-address.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { limitedCredentials } from '../../platform/security/limited-credentials.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { RegistryCaller } from './caller.ts';

/**
 * The caller of an `Authorization` header; undefined when there is none. Wrong ones count in the budget of the address.
 * @throws {AppError} `UNAUTHORIZED` for a credential that is not good: it never counts as none (rule R5); `RATE_LIMITED`.
 */
export type Authenticate = (
  authorization: string | undefined,
  from: { address: string; say: Say },
) => Promise<RegistryCaller | undefined>;

interface AuthenticateDeps {
  budgets: Budgets;
  clock: Clock;
  security: SecurityLog;
}

export function createAuthenticate(
  apiKeys: Authenticator,
  verifyAccessToken: VerifyAccessToken,
  { budgets, clock, security }: AuthenticateDeps,
): Authenticate {
  async function callerWith(token: string): Promise<RegistryCaller | undefined> {
    if (isJwt(token)) {
      const user = await verifyAccessToken(token);
      return user && { kind: 'user', user };
    }
    const key = await apiKeys.authenticate(token);
    return key && { kind: 'organization', key };
  }
  const look = limitedCredentials(callerWith, { budgets, clock });
  return async (authorization, { address, say }) => {
    if (authorization === undefined) return undefined;
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
    if (token === undefined) {
      await takeAndTell(budgets, { name: 'failed_credentials', key: addressKey(address) }, say);
      throw new AppError('UNAUTHORIZED', 'the Authorization header must be: Bearer <API key or access token>');
    }
    const caller = await look(token, { address, say });
    if (caller !== undefined) return caller;
    security.record('credential.refused', { target: isJwt(token) ? 'access token' : 'API key' });
    throw new AppError('UNAUTHORIZED', 'the credential is unknown, expired or revoked');
  };
}

function isJwt(token: string): boolean {
  return token.startsWith('eyJ') && token.split('.').length === 3;
}
