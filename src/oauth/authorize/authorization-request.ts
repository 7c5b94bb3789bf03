import type { Scope } from '../../directory/caller.ts';
import { findClient } from '../client/find-client.ts';
import type { KnownClient } from '../client/find-client.ts';
import { isRegisteredUri } from '../client/redirect-uri.ts';
import type { OAuthContext } from '../context.ts';
import { OAuthError } from '../oauth-error.ts';
import { RESOURCES, resourceId } from '../resources.ts';
import type { ProtectedResource } from '../resources.ts';

/** An authorization request that may be shown to a person. */
export interface AuthorizationRequest {
  client: KnownClient;
  redirect_uri: string;
  code_challenge: string;
  state: string | undefined;
  scopes: Scope[];
  resource: ProtectedResource;
}

/**
 * `page`: whom to send back to is not sure, so the person is told; `redirect`: the application is (RFC 6749, 4.1.2.1).
 */
export type ReadRequest =
  | { kind: 'good'; request: AuthorizationRequest }
  | { kind: 'page'; problem: string }
  | { kind: 'redirect'; redirect_uri: string; state: string | undefined; error: OAuthError };

type Deps = Pick<OAuthContext, 'store' | 'clients' | 'ownClients' | 'isRegistrationOpen' | 'baseUrl'>;

const MAX_STATE_LENGTH = 2000;

/** Reads the query of an authorization request. */
export async function readAuthorizationRequest(deps: Deps, query: URLSearchParams): Promise<ReadRequest> {
  const clientId = once(query, 'client_id');
  const client = clientId === undefined ? undefined : await findClient(deps, clientId);
  if (client === undefined) return { kind: 'page', problem: 'The application is not known here (client_id).' };
  const redirect_uri = once(query, 'redirect_uri');
  if (redirect_uri === undefined || !isRegisteredUri(client.redirect_uris, redirect_uri))
    return {
      kind: 'page',
      problem: 'The application asked to be answered at an address it has not registered (redirect_uri).',
    };
  const state = once(query, 'state');
  try {
    return { kind: 'good', request: { client, redirect_uri, state, ...checked(query, client, deps.baseUrl) } };
  } catch (error) {
    if (error instanceof OAuthError) return { kind: 'redirect', redirect_uri, state, error };
    throw error;
  }
}

/** @throws {OAuthError} */
function checked(query: URLSearchParams, client: KnownClient, baseUrl: string) {
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1 && name !== 'resource')
      throw new OAuthError('invalid_request', `${name} is sent more than once`);
  }
  if ((query.get('state') ?? '').length > MAX_STATE_LENGTH)
    throw new OAuthError('invalid_request', 'state is too long');
  if (query.get('response_type') !== 'code') throw new OAuthError('unsupported_response_type', 'response_type is code');
  if (![null, 'query'].includes(query.get('response_mode')))
    throw new OAuthError('invalid_request', 'response_mode is query');
  if (query.has('request') || query.has('request_uri'))
    throw new OAuthError('invalid_request', 'request objects are not supported');
  const code_challenge = query.get('code_challenge') ?? '';
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(code_challenge))
    throw new OAuthError('invalid_request', 'PKCE is required: code_challenge, with code_challenge_method=S256');
  const resource = resourceOf(query, client.resource === undefined ? RESOURCES : [client.resource], baseUrl);
  return { code_challenge, resource, scopes: scopesOf(query, resource) };
}

type Resources = readonly [ProtectedResource, ...ProtectedResource[]];

function resourceOf(query: URLSearchParams, resources: Resources, baseUrl: string): ProtectedResource {
  const asked = query.getAll('resource');
  if (asked.length > 1) throw new OAuthError('invalid_target', 'a token is for one resource; ask for each by itself');
  if (asked[0] === undefined) return resources[0];
  const found = resources.find(({ path }) => resourceId(baseUrl, path) === asked[0]);
  if (found !== undefined) return found;
  const known = resources.map(({ path }) => resourceId(baseUrl, path)).join(', ');
  throw new OAuthError('invalid_target', `resource is one of ${known}`);
}

/** The scopes asked for, all of the resource's when none are. */
function scopesOf(query: URLSearchParams, { scopes }: ProtectedResource): Scope[] {
  const asked = (query.get('scope') ?? '').split(' ').filter((name) => name !== '');
  const found = scopes.filter((scope) => asked.length === 0 || asked.includes(scope));
  if (found.length === 0 || asked.some((name) => !found.some((scope) => scope === name)))
    throw new OAuthError('invalid_scope', `scopes of this resource: ${scopes.join(' ')}`);
  return found;
}

function once(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
