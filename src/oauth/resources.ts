import type { Scope } from '../directory/caller.ts';
import { PORTAL_SCOPES } from '../directory/oauth/account-sign-in.ts';

/** A part of this service that access tokens are made for (RFC 8707). Its identifier is the base URL and its path. */
export interface ProtectedResource {
  path: '/api' | '/a2a' | '/mcp' | '/portal';
  name: string;
  scopes: readonly Scope[];
  /** Whether an organization acts there, which the token then names. */
  isForOrganization: boolean;
}

/** Those that are served. The first is meant by a request that names none. */
export const RESOURCES: readonly [ProtectedResource, ...ProtectedResource[]] = [
  {
    path: '/api',
    name: 'Registry',
    scopes: ['registry:read', 'registry:write', 'webhooks:read', 'webhooks:write'],
    isForOrganization: false,
  },
  { path: '/a2a', name: 'Sales agent (A2A)', scopes: ['tasks:read', 'tasks:write'], isForOrganization: true },
  { path: '/mcp', name: 'Sales agent (MCP)', scopes: ['tasks:read', 'tasks:write'], isForOrganization: true },
];

/** What the buyers' portal alone is allowed, to look into and send again what an organization was told; no token is made for it. */
export const PORTAL_RESOURCE = {
  path: '/portal',
  name: 'your webhooks in the portal',
  scopes: PORTAL_SCOPES,
  isForOrganization: true,
} as const satisfies ProtectedResource;

/** A resource's identifier, as it stands in `resource` and in a token's `aud`. */
export function resourceId(baseUrl: string, path: ProtectedResource['path']): string {
  return `${baseUrl}${path}`;
}

/** Where a resource's metadata are (RFC 9728, 3.1). */
export function resourceMetadataUrl(baseUrl: string, path: ProtectedResource['path']): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}${path}`;
}
