import { z } from 'zod';
import { ApiKey } from '../../directory/api-key/api-key.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { BRAND_PATH, JWKS_PATH, REVOCATIONS_PATH } from '../keys/documents.ts';
import type { AgentIdentity } from '../keys/documents.ts';
import type { SigningKeySets } from '../keys/signing-key-sets.ts';

const { api_key_id, name, scopes, created_at } = ApiKey.shape;

/** An API key as anybody of its organization may see it: whose it is, and whether anything still uses it. */
export const BuyerKey = z.object({
  ...{ api_key_id, name, scopes, created_at },
  key_hint: z.string().describe("The key's last four characters"),
  last_used_at: z.string().nullable().describe('Accurate to a minute'),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
export type BuyerKey = z.infer<typeof BuyerKey>;

/** Newest first, 50 at a time. */
export async function keysOfBuyer(
  keys: Collection<ApiKey>,
  organization_id: OrganizationId,
  after: string | undefined,
): Promise<{ rows: BuyerKey[]; cursor?: string }> {
  const { rows, cursor } = await keys.find({
    where: { organization_id },
    sort: { field: 'created_at', direction: 'desc' },
    limit: 50,
    ...(after !== undefined && { after }),
  });
  return { rows: rows.map(viewOf), ...(cursor !== undefined && { cursor }) };
}

function viewOf(key: ApiKey): BuyerKey {
  return {
    ...{ api_key_id: key.api_key_id, name: key.name, key_hint: key.key_hint, scopes: key.scopes },
    ...{ created_at: key.created_at, last_used_at: key.last_used_at },
    ...{ expires_at: key.expires_at, revoked_at: key.revoked_at },
  };
}

/** What webhooks are verified with. */
export const PublishedKeys = z.object({
  jwks_url: z.string(),
  brand_url: z.string().describe('Leads from the agent to its keys'),
  revocations_url: z.string(),
  keys: z.array(z.object({ kid: z.string(), alg: z.string(), kty: z.string(), crv: z.string(), x: z.string() })),
  revoked_kids: z.array(z.string()),
});
export type PublishedKeys = z.infer<typeof PublishedKeys>;

/** The keys that are published now. */
export async function publishedKeys(
  keySet: Pick<SigningKeySets, 'published' | 'revoked'>,
  { publicBaseUrl }: Pick<AgentIdentity, 'publicBaseUrl'>,
): Promise<PublishedKeys> {
  const [keys, revoked_kids] = await Promise.all([keySet.published(), keySet.revoked()]);
  return {
    jwks_url: `${publicBaseUrl}${JWKS_PATH}`,
    brand_url: `${publicBaseUrl}${BRAND_PATH}`,
    revocations_url: `${publicBaseUrl}${REVOCATIONS_PATH}`,
    keys: keys.map(({ kid, alg, kty, crv, x }) => ({ kid, alg, kty, crv, x })),
    revoked_kids,
  };
}
