import type { Scope } from '../caller.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { SignInAsked } from './oidc-client.ts';

/** What the buyers' portal is called as an application of this agent's authorization server; no other may be. */
export const PORTAL_CLIENT_ID = 'buyers-portal';

/** What a person of an organization can do in the portal, whatever their role there. */
export const PORTAL_SCOPES = ['webhooks:read', 'webhooks:write'] as const satisfies readonly Scope[];

/** Who has signed in to the buyers' portal, and by what. */
export interface AccountSignedIn {
  user_id: string;
  /** The organization that they chose there; absent where the issuer asks for none. */
  organization_id?: OrganizationId;
  /** What they allowed the portal, with which their session ends; absent where the issuer keeps no such thing here. */
  grant_id?: string;
}

/**
 * How people sign in to the buyers' portal with their own account (rule O1.portal): at this agent's own authorization server, or at the
 * issuer whose tokens count for users.
 */
export interface AccountSignIn {
  /** Where a browser goes to sign in. @throws {AppError} `SERVICE_UNAVAILABLE` while the issuer does not say. */
  authorizationUrl(asked: SignInAsked): Promise<string>;
  /**
   * Takes what the browser brought back, once. `lifeMs`: how long what they allowed lasts at most, in milliseconds.
   * @throws {AppError} `SERVICE_UNAVAILABLE` while the issuer, or its keys, cannot be had.
   */
  take(
    answer: { code: string; iss: string | undefined },
    asked: SignInAsked,
    lifeMs: number,
  ): Promise<AccountSignedIn | { refused: string }>;
  /** What a session may do by what opened it, undefined once that is over; asked at each of its requests, and never remembered. */
  scopesOf(grant_id: string | undefined): Promise<readonly Scope[] | undefined>;
  /** Ends what was allowed for a session that is over. Again changes nothing. */
  end(grant_id: string): Promise<void>;
}
