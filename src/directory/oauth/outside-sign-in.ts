import { userIdOf } from './access-token.ts';
import { PORTAL_SCOPES } from './account-sign-in.ts';
import type { AccountSignIn } from './account-sign-in.ts';
import type { OidcClient } from './oidc-client.ts';

/**
 * Sign-in at the issuer whose tokens count for users, as OpenID Connect has it. It says who somebody is, and nothing of organizations: their
 * memberships here do. Nothing is allowed there that could be ended from here.
 */
export function outsideSignIn(client: OidcClient): AccountSignIn {
  return {
    authorizationUrl: (asked) => client.authorizationUrl(asked),
    async take(answer, asked) {
      const verdict = await client.identityOf(answer, asked);
      if ('refused' in verdict) return verdict;
      return { user_id: userIdOf(verdict.identity.issuer, verdict.identity.subject) };
    },
    // A grant is of this agent's own server, which is not asked any more.
    scopesOf: (grant_id) => Promise.resolve(grant_id === undefined ? PORTAL_SCOPES : undefined),
    end: () => Promise.resolve(),
  };
}
