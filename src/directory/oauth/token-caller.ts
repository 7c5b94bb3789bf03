import type { Store } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { isSuspended, suspendedError } from '../organization/suspension.ts';
import { SCOPES } from '../caller.ts';
import type { Caller } from '../caller.ts';
import { organizationsOfUser } from '../membership/organizations-of-user.ts';
import type { AccessToken, VerifyAccessToken } from './access-token.ts';

/** Who calls with an access token where an organization acts, such as at the sales agent: one of the user's, by membership now. */
export interface TokenCallers {
  /**
   * Undefined when the token is not good.
   * @throws {AppError} `FORBIDDEN` for a good token that stands for no organization: it names one that its user does not
   * belong to, or none while its user belongs to none or several, or one that is suspended.
   */
  authenticate(token: string, since?: number): Promise<Caller | undefined>;
}

/** Scopes come from the token alone: one without a `scope` claim allows nothing. */
export function tokenCallers(store: Store, verify: VerifyAccessToken): TokenCallers {
  return {
    async authenticate(token, since) {
      const verified = await verify(token, since);
      if (verified === undefined) return undefined;
      return {
        organization_id: await organizationOf(store, verified),
        principal_id: verified.user_id,
        scopes: SCOPES.filter((scope) => verified.scopes?.includes(scope)),
      };
    },
  };
}

async function organizationOf(store: Store, { user_id, organization_id }: AccessToken): Promise<OrganizationId> {
  const own = await organizationsOfUser(store, user_id);
  const [first, second] =
    organization_id === undefined ? own : own.filter((row) => row.organization_id === organization_id);
  if (first === undefined) {
    throw organization_id === undefined
      ? new AppError('FORBIDDEN', 'you belong to no organization; create one with POST /api/organizations')
      : new AppError('FORBIDDEN', 'you do not belong to the organization that this token names');
  }
  if (second !== undefined) {
    throw new AppError(
      'FORBIDDEN',
      'you belong to several organizations; get a token whose claim organization_id names one of them',
    );
  }
  if (isSuspended(first)) throw suspendedError();
  return first.organization_id;
}
