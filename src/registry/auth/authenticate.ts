import type { Authenticator } from '../../directory/api-key/authenticator.ts';
import type { VerifyAccessToken } from '../../directory/oauth/access-token.ts';
import { AppError } from '../../platform/errors.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { RegistryCaller } from './caller.ts';

/**
 * The caller of an `Authorization` header; undefined when there is none.
 * @throws {AppError} `UNAUTHORIZED` for a credential that is not good: it never counts as none (rule R5).
 */
export type Authenticate = (authorization: string | undefined) => Promise<RegistryCaller | undefined>;

export function createAuthenticate(
  apiKeys: Authenticator,
  verifyAccessToken: VerifyAccessToken,
  security: SecurityLog,
): Authenticate {
  return async (authorization) => {
    if (authorization === undefined) return undefined;
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
    if (token === undefined)
      throw new AppError('UNAUTHORIZED', 'the Authorization header must be: Bearer <API key or access token>');
    if (isJwt(token)) {
      const user = await verifyAccessToken(token);
      if (user) return { kind: 'user', user };
    } else {
      const key = await apiKeys.authenticate(token);
      if (key) return { kind: 'organization', key };
    }
    security.record('credential.refused', { target: isJwt(token) ? 'access token' : 'API key' });
    throw new AppError('UNAUTHORIZED', 'the credential is unknown, expired or revoked');
  };
}

function isJwt(token: string): boolean {
  return token.startsWith('eyJ') && token.split('.').length === 3;
}
