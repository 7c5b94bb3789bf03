import { Router } from 'express';
import type { JWTVerifyGetKey } from 'jose';
import type { OAuthEndpoints } from '../../a2a/card/agent-card.ts';
import { accessTokenVerifier } from '../../directory/oauth/access-token.ts';
import type { VerifyAccessToken } from '../../directory/oauth/access-token.ts';
import type { EndGrants } from '../../directory/oauth/grant-facts.ts';
import type { AccountSignIn } from '../../directory/oauth/account-sign-in.ts';
import { createOidcClient } from '../../directory/oauth/oidc-client.ts';
import { outsideSignIn } from '../../directory/oauth/outside-sign-in.ts';
import { issuerAt, metadataUrls } from '../../directory/oauth/jwks-of-issuer.ts';
import type { OAuthContext } from '../../oauth/context.ts';
import { grantEnder } from '../../oauth/grant/end-grants.ts';
import { endedGrants } from '../../oauth/grant/grant-desk.ts';
import { developmentIdentityProvider } from '../../oauth/identity-provider.ts';
import { portalClient } from '../../oauth/portal/portal-client.ts';
import { portalSignIn } from '../../oauth/portal/portal-sign-in.ts';
import { tokenKeySet } from '../../oauth/keys/token-key-set.ts';
import { metadataRoutes, serverMetadata } from '../../oauth/metadata.ts';
import { resourceId, resourceMetadataUrl } from '../../oauth/resources.ts';
import type { ProtectedResource } from '../../oauth/resources.ts';
import { oauthRouter } from '../../oauth/router.ts';
import type { Core } from './compose.ts';
import { DEMO_CLIENT, demoAccount } from '../demo/demo-account.ts';

/** Users' access tokens: whose count here, and the server that makes them when that is this one (rule R13). */
export interface OAuth {
  /** Checks tokens made for one resource. */
  verifierOf(path: ProtectedResource['path']): VerifyAccessToken;
  /** The same, of grants as they are now. */
  freshVerifierOf(path: ProtectedResource['path']): VerifyAccessToken;
  /** Where a resource's metadata are, for the challenge of a 401. */
  metadataUrlOf(path: ProtectedResource['path']): string;
  /** Ends what a former member had allowed for an organization, where the grants are kept here. */
  endGrants: EndGrants;
  /** For the agent card; undefined while an issuer elsewhere does not say. */
  endpoints: OAuthEndpoints | undefined;
  /** How people sign in to the buyers' portal; undefined: not with their account. */
  portalAccounts: AccountSignIn | undefined;
  router: Router;
}

export async function composeOAuth(core: Core): Promise<OAuth> {
  const { config, baseUrl, clock } = core;
  const issuer = config.oauthIssuer ?? baseUrl;
  const metadata = { baseUrl, issuer, isRegistrationOpen: config.isRegistrationOpen };
  // An issuer elsewhere keeps its grants, and ends them, itself.
  const isOwn = config.oauthIssuer === undefined;
  const remembered = isOwn ? { hasEnded: endedGrants(core) } : {};
  const fresh = isOwn ? { hasEnded: endedGrants(core, 0) } : {};
  const { keys, router, endpoints, portalAccounts } =
    config.oauthIssuer === undefined ? embedded(core) : await elsewhere(core, config.oauthIssuer);
  return {
    verifierOf: (path) =>
      accessTokenVerifier({ issuer, audience: resourceId(baseUrl, path), keys, clock, ...remembered }),
    freshVerifierOf: (path) =>
      accessTokenVerifier({ issuer, audience: resourceId(baseUrl, path), keys, clock, ...fresh }),
    metadataUrlOf: (path) => resourceMetadataUrl(baseUrl, path),
    endGrants: isOwn ? grantEnder({ ...core, issuer }) : () => Promise.resolve(0),
    ...{ endpoints, portalAccounts },
    router: Router().use(metadataRoutes(metadata), router),
  };
}

interface Source extends Pick<OAuth, 'endpoints' | 'portalAccounts' | 'router'> {
  keys: JWTVerifyGetKey;
}

function embedded(core: Core): Source {
  const { store, clock, ids, log, security, budgets, names, secret, baseUrl, config } = core;
  const demo = config.hasDemoAccount ? [demoAccount(secret)] : [];
  const context: OAuthContext = {
    ...{ store, clock, ids, log, security, budgets, names, secret, baseUrl },
    ...{ sealer: core.sealer, formerSecrets: core.formerSecrets },
    clients: [...config.oauthClients, ...(config.hasDemoAccount ? [DEMO_CLIENT] : [])],
    ownClients: [portalClient(baseUrl)],
    identityProvider: developmentIdentityProvider([...config.devAccounts, ...demo]),
    isRegistrationOpen: config.isRegistrationOpen,
  };
  const keySet = tokenKeySet(context);
  return {
    keys: keySet.keys,
    router: oauthRouter(context, keySet),
    endpoints: ownEndpoints(baseUrl),
    portalAccounts: portalSignIn(context),
  };
}

async function elsewhere(core: Core, issuer: string): Promise<Source> {
  const { portalOidc } = core.config;
  const source = issuerAt({ ...core, issuer });
  const metadata = await source.metadata().catch((error: unknown) => {
    core.log.warn({ err: error, issuer }, "the token issuer's metadata cannot be had; the agent card goes without");
    return undefined;
  });
  return {
    keys: source.keys,
    router: Router(),
    endpoints: metadata && endpointsOf(metadata, issuer),
    portalAccounts:
      portalOidc && outsideSignIn(createOidcClient({ ...core, ...portalOidc, outbound: core.operatorOutbound })),
  };
}

/** Where the embedded server gives tokens. */
export function ownEndpoints(baseUrl: string): OAuthEndpoints | undefined {
  return endpointsOf(serverMetadata({ baseUrl, issuer: baseUrl, isRegistrationOpen: false }), baseUrl);
}

interface Endpoints {
  authorization_endpoint?: string | undefined;
  token_endpoint?: string | undefined;
}

function endpointsOf(
  { authorization_endpoint, token_endpoint }: Endpoints,
  issuer: string,
): OAuthEndpoints | undefined {
  if (authorization_endpoint === undefined || token_endpoint === undefined) return undefined;
  const [metadataUrl = issuer] = metadataUrls(issuer);
  return { authorizationUrl: authorization_endpoint, tokenUrl: token_endpoint, metadataUrl };
}
