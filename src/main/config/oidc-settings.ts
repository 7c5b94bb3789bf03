import type { OidcSettings } from '../../directory/oauth/oidc-client.ts';
import type { RolesByClaim } from '../../directory/operator/role-by-claim.ts';
import type { Settings } from './settings.ts';

/** Where operators sign in, and by which words they have their roles; undefined: by invitations alone. */
export type OperatorOidcSettings = OidcSettings & { rolesByClaim: RolesByClaim | undefined };

export function operatorOidcSettings(s: Settings): OperatorOidcSettings | undefined {
  const oidc = allOrNone(s.OPERATOR_OIDC_ISSUER, s.OPERATOR_OIDC_CLIENT_ID, s.OPERATOR_OIDC_CLIENT_SECRET);
  const { OPERATOR_OIDC_ROLE_CLAIM: claim, OPERATOR_OIDC_ROLES: roles } = s;
  const rolesByClaim = claim === undefined || roles === undefined ? undefined : { claim, roles };
  return oidc && { ...oidc, rolesByClaim };
}

/** Where people sign in to the buyers' portal: at the issuer whose tokens count for users. */
export function portalOidcSettings(s: Settings): OidcSettings | undefined {
  return allOrNone(s.OAUTH_ISSUER, s.PORTAL_OIDC_CLIENT_ID, s.PORTAL_OIDC_CLIENT_SECRET);
}

function allOrNone(
  issuer: string | undefined,
  clientId: string | undefined,
  clientSecret: string | undefined,
): OidcSettings | undefined {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret };
}
