import { z } from 'zod';
import { findClient } from '../client/find-client.ts';
import type { OAuthContext } from '../context.ts';
import type { Grant } from '../grant/grant.ts';
import { grants } from '../grant/grant.ts';
import { tokenForm } from '../grant/token-form.ts';
import { revoke, useCode, useRefreshToken } from '../grant/use-grant.ts';
import type { TokenKeySet } from '../keys/token-key-set.ts';
import { OAuthError } from '../oauth-error.ts';
import { ACCESS_TOKEN_SECONDS, grantOfAccessToken, signAccessToken } from './access-token-auth.ts';

/** A form's fields; one that is sent twice is an error (OAuth 2.1, 3.2.2). */
type Form = Readonly<Record<string, string>>;

const text = z.string('must be sent once').min(1, 'must not be empty').max(2000, 'is too long');

const CodeForm = z.object({
  grant_type: z.literal('authorization_code'),
  code: text,
  redirect_uri: text,
  client_id: text,
  code_verifier: z
    .string('must be sent: PKCE is required')
    .regex(/^[\w.~-]{43,128}$/, 'must be 43 to 128 of letters, digits and - . _ ~'),
  resource: text.optional(),
});

const RefreshForm = z.object({
  grant_type: z.literal('refresh_token'),
  refresh_token: text,
  client_id: text,
  scope: z.string().max(500).optional(),
  resource: text.optional(),
});

const RevocationForm = z.object({ token: text, client_id: text, token_type_hint: z.string().optional() });

export interface TokenEndpoint {
  /** @throws {OAuthError} */
  token(body: unknown): Promise<object>;
  /** RFC 7009: a token that is unknown is as good as revoked. @throws {OAuthError} for a bad request. */
  revoke(body: unknown): Promise<void>;
}

export function tokenEndpoint(context: OAuthContext, keySet: TokenKeySet): TokenEndpoint {
  const form = tokenForm(context.secret, context.formerSecrets);
  const deps = { ...context, grants: context.store.collection(grants) };

  async function exchange(body: Form): Promise<object> {
    const given = parsed(CodeForm, body);
    await requireClient(given.client_id);
    const code = form.readCode(given.code);
    await requireResource(code?.grant_id, given.resource);
    const grant = await useCode(deps, code, given);
    return answer(grant, grant.scopes);
  }

  async function refresh(body: Form): Promise<object> {
    const given = parsed(RefreshForm, body);
    await requireClient(given.client_id);
    const token = form.readRefreshToken(given.refresh_token);
    const row = token && (await deps.grants.get(token.grant_id));
    const scopes = row === undefined ? [] : narrowed(row, given.scope);
    await requireResource(token?.grant_id, given.resource);
    if (row !== undefined && (await context.identityProvider?.find(row.subject)) === undefined)
      throw new OAuthError('invalid_grant', 'the account is gone');
    return answer(await useRefreshToken(deps, token, given.client_id), scopes);
  }

  function given(fields: Form): Promise<object> {
    if (fields['grant_type'] === 'authorization_code') return exchange(fields);
    if (fields['grant_type'] === 'refresh_token') return refresh(fields);
    if (fields['grant_type'] === undefined) throw new OAuthError('invalid_request', 'grant_type must be sent once');
    throw new OAuthError('unsupported_grant_type', 'grant_type is authorization_code or refresh_token');
  }

  async function answer(grant: Grant, scopes: readonly string[]): Promise<object> {
    context.security.record('token.issued', {
      subject: grant.subject,
      target: grant.client_id,
      organization_id: grant.organization_id ?? undefined,
    });
    return {
      access_token: await signAccessToken(context, keySet, grant, scopes),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: form.refreshToken(grant.grant_id, grant.refresh_number),
      scope: scopes.join(' '),
    };
  }

  async function requireClient(clientId: string): Promise<void> {
    const client = await findClient(context, clientId);
    if (client === undefined) throw new OAuthError('invalid_client', 'unknown client_id');
    if (client.resource !== undefined)
      throw new OAuthError('invalid_client', 'this client_id is a part of the agent itself, and is given no tokens');
  }

  /** A token is for the resource that was allowed and no other (RFC 8707, 2.2). */
  async function requireResource(grantId: string | undefined, resource: string | undefined): Promise<void> {
    const row = grantId === undefined || resource === undefined ? undefined : await deps.grants.get(grantId);
    if (row !== undefined && row.resource !== resource)
      throw new OAuthError('invalid_target', `the grant is for the resource ${row.resource}`);
  }

  return {
    async token(body) {
      try {
        return await given(formOf(body));
      } catch (error) {
        if (error instanceof OAuthError)
          context.security.record('token.refused', { reason: `${error.code}: ${error.message}` });
        throw error;
      }
    },
    async revoke(body) {
      const { token, client_id } = parsed(RevocationForm, formOf(body));
      await requireClient(client_id);
      const grantId =
        form.readRefreshToken(token)?.grant_id ??
        form.readCode(token)?.grant_id ??
        (await grantOfAccessToken(context, keySet, token));
      const row = grantId === undefined ? undefined : await deps.grants.get(grantId);
      if (row?.client_id === client_id) await revoke(deps, row.grant_id, 'revoked_by_client');
    },
  };
}

/** The scopes asked for at a refresh: those of the grant, or fewer. @throws {OAuthError} `invalid_scope`. */
function narrowed({ scopes }: Grant, asked: string | undefined): readonly string[] {
  if (asked === undefined) return scopes;
  const names = asked.split(' ').filter((name) => name !== '');
  const allowed: readonly string[] = scopes;
  if (names.length === 0 || !names.every((name) => allowed.includes(name)))
    throw new OAuthError('invalid_scope', `the grant allows ${scopes.join(' ')}`);
  return allowed.filter((name) => names.includes(name));
}

/** @throws {OAuthError} `invalid_request` for no form, or a field that is sent twice. */
function formOf(body: unknown): Form {
  const fields = z.record(z.string(), z.string()).safeParse(body);
  if (fields.success) return fields.data;
  throw new OAuthError('invalid_request', 'send a form, application/x-www-form-urlencoded, with each field once');
}

function parsed<T>(schema: z.ZodType<T>, form: Form): T {
  const result = schema.safeParse(form);
  if (result.success) return result.data;
  const { path = [], message = 'is not valid' } = result.error.issues[0] ?? {};
  throw new OAuthError('invalid_request', `${path.join('.')} ${message}`);
}
