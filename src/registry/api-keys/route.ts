import { z } from 'zod';
import { apiKeys, createApiKey, listApiKeys, revokeApiKey } from '../../directory/api-key/api-key.ts';
import { expiryOf } from '../../directory/api-key/expiry.ts';
import { endOf } from '../../directory/api-key/good-key.ts';
import { rerollApiKey } from '../../directory/api-key/reroll.ts';
import { SCOPES } from '../../directory/caller.ts';
import { requireOwner } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';
import {
  ApiKeyCreated,
  ApiKeyParams,
  ApiKeyRequest,
  ApiKeyRerolled,
  ApiKeyRerollRequest,
  ApiKeyView,
  viewsOfKeys,
} from './schema.ts';

const LIMIT = 'change_api_keys';

/** The key is shown in this answer and never again (rule R13). */
export const createOrganizationKey = endpoint({
  id: 'createOrganizationKey',
  method: 'post',
  path: '/api/organizations/{orgId}/api-keys',
  tag: 'Organizations',
  summary: 'Make an API key; for owners',
  description: 'The key is shown in this answer and never again.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: OrganizationParams,
  body: ApiKeyRequest,
  responses: { 201: { description: 'The new key', schema: ApiKeyCreated } },

  async handle({ params, body }, context) {
    const { organization, deps, asked } = await keyToMake(context, params.orgId, body);
    const scopes = [...new Set(body.scopes ?? READ_SCOPES)];
    const { raw, key } = await createApiKey(deps, { ...asked, name: body.name, scopes });
    const [view] = await viewsOfKeys(context.store, organization, [key]);
    return { status: 201, body: { ...view, key: raw }, headers: { 'Cache-Control': 'no-store' } };
  },
});

/**
 * What every key that an owner makes has, once there is room for it.
 * @throws {AppError} for who is no owner, see `requireOwner`; `LIMIT_EXCEEDED` where there are, or have been made, as many as may be.
 */
async function keyToMake(
  { store, clock, ids, security, caller, budgets }: EndpointCall,
  orgId: string,
  { expires_at }: { expires_at?: string | undefined },
) {
  const { organization, user } = await requireOwner(store, caller, orgId);
  const { organization_id } = organization;
  const keys = store.collection(apiKeys);
  const living = (await listApiKeys(keys, organization_id)).filter(
    (row) => row.revoked_at === null && clock.now() < endOf(row),
  );
  budgets.checkRows('api_keys', living.length);
  // Those that are revoked stay, too.
  await budgets.take('made_api_keys', organization_id);
  return {
    organization,
    deps: { keys, clock, ids, security },
    asked: {
      ...{ organization_id, made_by: user.user_id },
      expires_at: expires_at && expiryOf(expires_at, clock.now()),
    },
  };
}

/** The new key is shown in this answer and never again; the former one ends by itself (rule R13.reroll). */
export const rerollOrganizationKey = endpoint({
  id: 'rerollOrganizationKey',
  method: 'post',
  path: '/api/organizations/{orgId}/api-keys/{keyId}/reroll',
  tag: 'Organizations',
  summary: 'Make an API key anew, beside the former one for some days; for owners',
  description:
    'A new key of the same name and scopes, shown in this answer and never again. The former one ends by itself.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: ApiKeyParams,
  body: ApiKeyRerollRequest,
  responses: { 201: { description: 'The new key, and the former one with its end', schema: ApiKeyRerolled } },

  async handle({ params, body }, context) {
    const { organization, deps, asked } = await keyToMake(context, params.orgId, body);
    const { overlap_days } = body;
    const { raw, key, former } = await rerollApiKey(deps, context.ids.newId(), {
      ...{ ...asked, api_key_id: params.keyId, overlap_days },
    });
    const [view, its] = await viewsOfKeys(context.store, organization, [key, former]);
    const headers = { 'Cache-Control': 'no-store' };
    return { status: 201, body: { ...view, key: raw, former: its }, headers };
  },
});

/** What a key may do that nobody asked more for. */
const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(':read'));

/** Newest first, revoked ones included (rule R13). */
export const listOrganizationKeys = endpoint({
  id: 'listOrganizationKeys',
  method: 'get',
  path: '/api/organizations/{orgId}/api-keys',
  tag: 'Organizations',
  summary: 'List API keys; for owners',
  access: 'required',
  effect: 'read',
  limit: 'list_api_keys',
  params: OrganizationParams,
  responses: {
    200: {
      description: 'All of them, newest first, revoked ones included',
      schema: z.object({ api_keys: z.array(ApiKeyView) }),
    },
  },

  async handle({ params }, { store, caller }) {
    const { organization } = await requireOwner(store, caller, params.orgId);
    const rows = await listApiKeys(store.collection(apiKeys), organization.organization_id);
    return { body: { api_keys: await viewsOfKeys(store, organization, rows) } };
  },
});

/** Revoked for good; servers notice within a few seconds (rule R13). */
export const revokeOrganizationKey = endpoint({
  id: 'revokeOrganizationKey',
  method: 'delete',
  path: '/api/organizations/{orgId}/api-keys/{keyId}',
  tag: 'Organizations',
  summary: 'Revoke an API key; for owners',
  description: 'For good. Revoking again changes nothing.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: ApiKeyParams,
  responses: { 200: { description: 'The key as it is now', schema: ApiKeyView } },

  async handle({ params }, { store, clock, security, caller }) {
    const { organization } = await requireOwner(store, caller, params.orgId);
    const keys = store.collection(apiKeys);
    const revoked = await revokeApiKey({ keys, clock, security }, organization.organization_id, params.keyId);
    const [view] = await viewsOfKeys(store, organization, [revoked]);
    return { body: view };
  },
});
