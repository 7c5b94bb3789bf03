import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { OAuthContext } from '../context.ts';
import { OAuthError } from '../oauth-error.ts';
import { ConfiguredClient, registeredClients } from './client.ts';

/** How long an application is known that nobody has allowed anything yet. */
const UNUSED_LIFE_MS = 24 * 3_600_000;

/** What is read of a registration (RFC 7591, 2); anything else in it is passed over, as the RFC asks. */
const Registration = z.object({
  redirect_uris: ConfiguredClient.shape.redirect_uris,
  client_name: ConfiguredClient.shape.client_name.default('An application'),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']).optional(),
  grant_types: z.array(z.string()).default([]).refine(isFor('authorization_code', 'refresh_token')),
  response_types: z.array(z.string()).default([]).refine(isFor('code')),
});

/**
 * Registers an application, as a public one whatever it asked for.
 * @throws {OAuthError} `invalid_redirect_uri`, `invalid_client_metadata`.
 */
export async function registerClient({ store, clock, ids, security }: OAuthContext, body: unknown) {
  const parsed = Registration.safeParse(body);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'is not valid' };
    const code = path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw new OAuthError(code, `${path.join('.') || 'the body'}: ${message}`);
  }
  const { redirect_uris, client_name } = parsed.data;
  const now = clock.now();
  const client_id = `client_${ids.newId()}`;
  await store.collection(registeredClients).insert({
    ...{ client_id, client_name, redirect_uris },
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + UNUSED_LIFE_MS),
    revision: 1,
  });
  security.record('client.registered', { target: client_id });
  return {
    ...{ client_id, client_name, redirect_uris },
    client_id_issued_at: Math.floor(now / 1000),
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

function isFor(...allowed: string[]): (values: string[]) => boolean {
  return (values) => values.every((value) => allowed.includes(value));
}
