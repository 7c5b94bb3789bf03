import { createHmac } from 'node:crypto';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { OrganizationId } from '../platform/organization-id.ts';
import type { Store } from '../platform/store/collection.ts';
import { apiKeys, registerApiKey } from './api-key/api-key.ts';
import type { ApiKey } from './api-key/api-key.ts';
import { membershipId, memberships } from './membership/membership.ts';
import { newOrganization, organizations } from './organization/organization.ts';
import type { Organization } from './organization/organization.ts';

export interface BootstrapDeps {
  store: Store;
  clock: Clock;
  ids: Ids;
}

const DEMO_BUYER: Pick<Organization, 'organization_id' | 'name' | 'company_type' | 'corporate_domain'> = {
  organization_id: OrganizationId.parse('org_demo_buyer'),
  name: 'Demo Buyer',
  company_type: 'agency',
  corporate_domain: 'demo-buyer.example',
};

const FIRST_ORGANIZATION: Pick<Organization, 'organization_id' | 'name'> = {
  organization_id: OrganizationId.parse('org_first'),
  name: 'First organization',
};

/** The demo's buyer. Made once however many processes start at once; an organization changed since is left alone. */
export function ensureDemoOrganization(deps: BootstrapDeps): Promise<Organization> {
  return ensureOrganization(deps, DEMO_BUYER);
}

export async function hasDemoOrganization(store: Store): Promise<boolean> {
  return (await store.collection(organizations).get(DEMO_BUYER.organization_id)) !== undefined;
}

/** Makes a person an owner of the demo's buyer; safe to repeat and to race. */
export async function ensureDemoOwner({ store, clock }: BootstrapDeps, userId: string): Promise<void> {
  const { organization_id } = DEMO_BUYER;
  await store.collection(memberships).insert({
    membership_id: membershipId(organization_id, userId),
    ...{ organization_id, user_id: userId, role: 'owner', created_at: toTimestamp(clock.now()), revision: 1 },
  });
}

/**
 * The organization and key of a deployment that starts from nothing (`BOOTSTRAP_API_KEY`); safe to repeat and to race.
 * A key that has been revoked since stays revoked.
 * @throws {AppError} `VALIDATION_ERROR` for a weak key, `CONFLICT` when another organization holds it.
 */
export async function ensureBootstrapKey(
  deps: BootstrapDeps,
  rawKey: string,
  organizationId?: OrganizationId,
): Promise<ApiKey> {
  const organization_id = organizationId ?? (await ensureOrganization(deps, FIRST_ORGANIZATION)).organization_id;
  const keys = deps.store.collection(apiKeys);
  return registerApiKey({ ...deps, keys }, rawKey, { organization_id, name: 'Bootstrap key' });
}

/**
 * The demo buyer's key, the same at each start without being stored: derived from the installation's secret.
 * Only for `npm start` on one machine; organizations get random keys.
 */
export function demoApiKey(secret: string): string {
  return `mk_live_${createHmac('sha256', secret).update('demo buyer API key').digest('base64url')}`;
}

async function ensureOrganization(
  { store, clock }: BootstrapDeps,
  given: Partial<Organization> & Pick<Organization, 'organization_id' | 'name'>,
): Promise<Organization> {
  const collection = store.collection(organizations);
  const existing = await collection.get(given.organization_id);
  if (existing) return existing;
  const row = newOrganization({ ...given, state: 'active', created_at: toTimestamp(clock.now()) });
  const result = await collection.insert(row);
  if (result.inserted) return row;
  const winner = await collection.get(given.organization_id);
  if (!winner)
    throw new Error(`organization ${given.organization_id} cannot be made: its ${result.duplicate} is taken`);
  return winner;
}
