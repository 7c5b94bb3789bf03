import { Router } from 'express';
import type { RequestHandler } from 'express';
import { metadataUrls } from '../directory/oauth/jwks-of-issuer.ts';
import { SCOPES } from '../directory/caller.ts';
import { openToAllOrigins } from './cors.ts';
import { RESOURCES, resourceId } from './resources.ts';

/** Below the base URL. */
export const PATHS = {
  authorize: '/oauth/authorize',
  login: '/oauth/login',
  consent: '/oauth/consent',
  signOut: '/oauth/sign-out',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  register: '/oauth/register',
  jwks: '/oauth/jwks.json',
} as const;

export interface MetadataOptions {
  baseUrl: string;
  /** Whose tokens count: this service's own, or an issuer elsewhere. */
  issuer: string;
  /** Whether applications may register themselves. */
  isRegistrationOpen: boolean;
}

/** Authorization server metadata of the embedded server (RFC 8414). */
export function serverMetadata({ baseUrl, issuer, isRegistrationOpen }: MetadataOptions) {
  return {
    issuer,
    authorization_endpoint: baseUrl + PATHS.authorize,
    token_endpoint: baseUrl + PATHS.token,
    revocation_endpoint: baseUrl + PATHS.revoke,
    jwks_uri: baseUrl + PATHS.jwks,
    ...(isRegistrationOpen && { registration_endpoint: baseUrl + PATHS.register }),
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    protected_resources: RESOURCES.map(({ path }) => resourceId(baseUrl, path)),
  };
}

/** Metadata of the protected resources (RFC 9728), by their path. */
function resourceMetadata({ baseUrl, issuer }: MetadataOptions) {
  return new Map(
    RESOURCES.map(({ path, name, scopes }) => [
      path as string,
      {
        resource: resourceId(baseUrl, path),
        authorization_servers: [issuer],
        scopes_supported: scopes,
        bearer_methods_supported: ['header'],
        resource_name: name,
      },
    ]),
  );
}

/**
 * Both well-known documents, also where the base URL's path stands behind the well-known prefix. With an issuer elsewhere,
 * the authorization server's document leads there.
 */
export function metadataRoutes(options: MetadataOptions): Router {
  const { baseUrl, issuer } = options;
  const path = new URL(baseUrl).pathname.replace(/\/$/, '');
  const resources = resourceMetadata(options);
  const server: RequestHandler = (_req, res) => {
    if (issuer === baseUrl) res.json(serverMetadata(options));
    else res.redirect(307, metadataUrls(issuer)[0] ?? issuer);
  };
  const router = Router();
  const at = (name: string, suffix = '') =>
    [...new Set(['', path])].map((prefix) => `/.well-known/${name}${prefix}${suffix}`);
  router.all(at('oauth-authorization-server'), openToAllOrigins, publicly, server);
  // Without a path is where clients of MCP look that no challenge has told.
  for (const [suffix, document] of [...resources, ['', resources.get('/mcp')] as const]) {
    router.all(at('oauth-protected-resource', suffix), openToAllOrigins, publicly, (_req, res) => {
      res.json(document);
    });
  }
  return router;
}

/** Lets caches keep an answer for five minutes. */
export const publicly: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'public, max-age=300');
  next();
};
