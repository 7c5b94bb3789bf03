import { z } from 'zod';
import { apiKeys, createApiKey, listApiKeys, revokeApiKey } from '../../directory/api-key/api-key.ts';
import type { ApiKey } from '../../directory/api-key/api-key.ts';
import { expiryOf } from '../../directory/api-key/expiry.ts';
import { endOf } from '../../directory/api-key/good-key.ts';
import { rerollApiKey } from '../../directory/api-key/reroll.ts';
import { SCOPES } from '../../directory/caller.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { requireOwner } from '../auth/require-owner.ts';
import type { RegistryContext } from '../context.ts';
import { endpoint } from '../endpoint.ts';
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

  async handle({ params, body }, { store, clock, ids, security, caller, budgets }) {
    const { organization, user } = await requireOwner(store, caller, params.orgId);
    const keys = store.collection(apiKeys);
    const { organization_id } = organization;
    await takeRoom({ keys, clock, budgets }, organization_id);
    const expires_at = body.expires_at && expiryOf(body.expires_at, clock.now());
    const { raw, key } = await createApiKey(
      { keys, clock, ids, security },
      {
        ...{ organization_id, name: body.name, scopes: [...new Set(body.scopes ?? READ_SCOPES)], expires_at },
        made_by: user.user_id,
      },
    );
    const [view] = await viewsOfKeys(store, organization, [key]);
    return { status: 201, body: { ...view, key: raw }, headers: { 'Cache-Control': 'no-store' } };
  },
});

/** @throws {AppError} `LIMIT_EXCEEDED` where it has or has made as many as it may. */
async function takeRoom(
  { keys, clock, budgets }: Pick<RegistryContext, 'clock' | 'budgets'> & { keys: Collection<ApiKey> },
  organization_id: OrganizationId,
): Promise<void> {
  const living = (await listApiKeys(keys, organization_id)).filter(
    (row) => row.revoked_at === null && clock.now() < endOf(row),
  );
  budgets.checkRows('api_keys', living.length);
  // Those that are revoked stay, too.
  await budgets.take('made_api_keys', organization_id);
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

  async handle({ params, body }, { store, clock, ids, security, caller, budgets }) {
    const { organization, user } = await requireOwner(store, caller, params.orgId);
    const keys = store.collection(apiKeys);
    const { organization_id } = organization;
    await takeRoom({ keys, clock, budgets }, organization_id);
    const expires_at = body.expires_at && expiryOf(body.expires_at, clock.now());
    const { overlap_days } = body;
    const { raw, key, former } = await rerollApiKey({ keys, clock, ids, security }, ids.newId(), {
      ...{ organization_id, api_key_id: params.keyId, overlap_days, expires_at, made_by: user.user_id },
    });
    const [view, its] = await viewsOfKeys(store, organization, [key, former]);
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
