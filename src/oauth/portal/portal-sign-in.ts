import { createHash } from 'node:crypto';
import { userIdOf } from '../../directory/oauth/access-token.ts';
import { PORTAL_CLIENT_ID } from '../../directory/oauth/account-sign-in.ts';
import type { AccountSignIn } from '../../directory/oauth/account-sign-in.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { redirectUriProblem } from '../client/redirect-uri.ts';
import type { OAuthContext } from '../context.ts';
import { grants } from '../grant/grant.ts';
import { tokenForm } from '../grant/token-form.ts';
import { revoke, useCode } from '../grant/use-grant.ts';
import { PATHS } from '../metadata.ts';
import { OAuthError } from '../oauth-error.ts';
import { PORTAL_RESOURCE, resourceId } from '../resources.ts';
import { portalClient } from './portal-client.ts';

/**
 * Sign-in to the buyers' portal at this very server, by code and PKCE as any application, without a request to itself. Undefined where
 * nobody can sign in, or where browsers may not be sent back: over http to a host that is not this machine.
 */
export function portalSignIn(context: OAuthContext): AccountSignIn | undefined {
  const { baseUrl, clock, identityProvider, store } = context;
  const [redirectUri = ''] = portalClient(baseUrl).redirect_uris;
  if (identityProvider === undefined || redirectUriProblem(redirectUri) !== undefined) return undefined;
  const form = tokenForm(context.secret, context.formerSecrets);
  const rows = store.collection(grants);
  const deps = { ...context, grants: rows };
  return {
    authorizationUrl({ state, code_verifier, redirect_uri }) {
      const query = new URLSearchParams({
        ...{ response_type: 'code', client_id: PORTAL_CLIENT_ID, redirect_uri, state },
        ...{ code_challenge: challengeOf(code_verifier), code_challenge_method: 'S256' },
        ...{ resource: resourceId(baseUrl, PORTAL_RESOURCE.path), scope: PORTAL_RESOURCE.scopes.join(' ') },
      });
      return Promise.resolve(`${baseUrl}${PATHS.authorize}?${query.toString()}`);
    },
    async take({ code, iss }, { code_verifier, redirect_uri }, lifeMs) {
      if (iss !== baseUrl) return { refused: 'the answer is of another issuer' };
      const use = { client_id: PORTAL_CLIENT_ID, redirect_uri, code_verifier, lifeMs };
      try {
        const { grant_id, subject, organization_id } = await useCode(deps, form.readCode(code), use);
        const user_id = userIdOf(baseUrl, subject);
        return { user_id, grant_id, ...(organization_id !== null && { organization_id }) };
      } catch (error) {
        if (error instanceof OAuthError) return { refused: error.message };
        throw error;
      }
    },
    async scopesOf(grant_id) {
      const row = grant_id === undefined ? undefined : await rows.get(grant_id);
      if (row?.client_id !== PORTAL_CLIENT_ID || row.exchanged_at === null || row.revoked_at !== null) return undefined;
      if (row.expires_at <= toTimestamp(clock.now())) return undefined;
      return (await identityProvider.find(row.subject)) === undefined ? undefined : row.scopes;
    },
    end: (grant_id) => revoke(deps, grant_id, 'revoked_by_client'),
  };
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
