import { createHmac } from 'node:crypto';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { OrganizationId } from '../platform/organization-id.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import type { Store } from '../platform/store/collection.ts';
import { apiKeys, isStoredApiKey, listApiKeys, registerApiKey, revokeApiKey } from './api-key/api-key.ts';
import type { ApiKey, ApiKeySlot } from './api-key/api-key.ts';
import { membershipId, memberships } from './membership/membership.ts';
import { newOrganization, organizations } from './organization/organization.ts';
import type { Organization } from './organization/organization.ts';

export interface BootstrapDeps {
  store: Store;
  clock: Clock;
  ids: Ids;
  security: SecurityLog;
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

/** What the keys of a slot are called, and where those of 0.1.0 are, which have no other mark. */
const SLOTS: Readonly<Record<ApiKeySlot, { name: string; organization_id: OrganizationId }>> = {
  bootstrap: { name: 'Bootstrap key', organization_id: FIRST_ORGANIZATION.organization_id },
  demo: { name: 'Demo key', organization_id: DEMO_BUYER.organization_id },
};

/** The demo's buyer. Made once however many processes start at once; an organization changed since is left alone. */
export function ensureDemoOrganization(deps: BootstrapDeps): Promise<Organization> {
  return ensureOrganization(deps, DEMO_BUYER);
}

export async function hasDemoOrganization(store: Store): Promise<boolean> {
  return (await store.collection(organizations).get(DEMO_BUYER.organization_id)) !== undefined;
}

/** Whether an organization besides the demo's may call: one that has had a key or people. What the seed names has neither. */
export async function hasOwnBuyer(store: Store): Promise<boolean> {
  const { organization_id } = DEMO_BUYER;
  const looks = [{ lt: organization_id }, { gt: organization_id }].flatMap((range) => [
    store.collection(apiKeys).find({ where: { organization_id: range }, limit: 1 }),
    store.collection(memberships).find({ where: { organization_id: range }, limit: 1 }),
  ]);
  return (await Promise.all<{ rows: unknown[] }>(looks)).some(({ rows }) => rows.length > 0);
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
 * The key is a slot: a new value revokes the former one, so that one that leaked is taken back by another in its place. A key
 * that has been revoked stays revoked, and its row says so: a process that still has it revokes nothing.
 * @throws {AppError} `VALIDATION_ERROR` for a weak key, `CONFLICT` when another organization holds it.
 */
export async function ensureBootstrapKey(deps: BootstrapDeps, rawKey: string): Promise<ApiKey> {
  const { organization_id } = await ensureOrganization(deps, FIRST_ORGANIZATION);
  return fillSlot(deps, 'bootstrap', rawKey, organization_id);
}

/**
 * The demo buyer's key, the same at each start without being stored: derived from the installation's secret. One that was
 * revoked since is followed by the next. Only for `npm start` on one machine; organizations get random keys.
 * `isNew` at the start that made it.
 */
export async function ensureDemoKey(deps: BootstrapDeps, secret: string): Promise<{ key: string; isNew: boolean }> {
  const { organization_id } = await ensureDemoOrganization(deps);
  for (let generation = 0; ; generation++) {
    const raw = demoApiKey(secret, generation);
    const isNew = !(await isStoredApiKey(deps.store.collection(apiKeys), raw));
    const { revoked_at } = await fillSlot(deps, 'demo', raw, organization_id);
    if (revoked_at === null) return { key: raw, isNew };
  }
}

/** Revokes the demo's key, where there is no demo any more. Answers how many there were. */
export function retireDemoKey(deps: Omit<BootstrapDeps, 'ids'>): Promise<number> {
  return emptySlot(deps, 'demo', () => true);
}

function demoApiKey(secret: string, generation: number): string {
  const words = `demo buyer API key${generation === 0 ? '' : ` ${generation}`}`;
  return `mk_live_${createHmac('sha256', secret).update(words).digest('base64url')}`;
}

/** Of two processes that start with different values at once, the later key stays. */
async function fillSlot(
  deps: BootstrapDeps,
  slot: ApiKeySlot,
  raw: string,
  organization_id: OrganizationId,
): Promise<ApiKey> {
  const keys = deps.store.collection(apiKeys);
  const key = await registerApiKey({ ...deps, keys }, raw, { organization_id, name: SLOTS[slot].name, slot });
  if (key.revoked_at !== null) return key;
  await emptySlot(deps, slot, (other) => age(other) < age(key));
  return key;
}

function age({ created_at, api_key_id }: ApiKey): string {
  return `${created_at} ${api_key_id}`;
}

async function emptySlot(
  { store, clock, security }: Omit<BootstrapDeps, 'ids'>,
  slot: ApiKeySlot,
  isFormer: (key: ApiKey) => boolean,
): Promise<number> {
  const keys = store.collection(apiKeys);
  const { name, organization_id } = SLOTS[slot];
  const inSlot = (key: ApiKey) => (key.slot === undefined ? key.name === name : key.slot === slot);
  const former = (await listApiKeys(keys, organization_id)).filter(
    (key) => inSlot(key) && key.revoked_at === null && isFormer(key),
  );
  for (const { api_key_id } of former) await revokeApiKey({ keys, clock, security }, organization_id, api_key_id);
  return former.length;
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
