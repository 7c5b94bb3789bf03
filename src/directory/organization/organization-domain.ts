import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import { ProofMethod } from '../domain-claim/domain-claim.ts';
import { isOnlyOnRecord, organizations } from './organization.ts';
import type { Organization } from './organization.ts';

/**
 * A domain that an organization has proved besides its first one, which stands in its own row. One domain has one organization: this row's
 * key is the domain, and where an organization came to have it as its first at the very same time, that one has it.
 */
export const OrganizationDomain = z.object({
  domain: z.string(),
  organization_id: OrganizationId,
  verified_by: ProofMethod,
  /** Who proved it. */
  user_id: z.string(),
  created_at: z.string(),
  revision: z.number().int(),
});
export type OrganizationDomain = z.infer<typeof OrganizationDomain>;

export const organizationDomains: CollectionSpec<OrganizationDomain> = {
  name: 'organization_domains',
  key: 'domain',
  schema: OrganizationDomain,
  tells: [],
  indexes: [{ name: 'organization', fields: ['organization_id', 'created_at'] }],
};

/** A domain that an organization speaks for, and how that is known. */
export interface ProvedDomain {
  domain: string;
  verified_by: NonNullable<Organization['domain_verified_by']>;
  since: string;
}

/** Those of one organization: its first, and then the others, the oldest first. */
export async function provedDomains(store: Store, organization: Organization): Promise<ProvedDomain[]> {
  const { organization_id, corporate_domain, domain_verified_by, claimed_at, created_at } = organization;
  const { rows } = await store
    .collection(organizationDomains)
    .find({ where: { organization_id }, sort: { field: 'created_at', direction: 'asc' }, limit: 1000 });
  const { rows: firsts } = await store
    .collection(organizations)
    .find({ where: { corporate_domain: { in: rows.map((row) => row.domain) } }, limit: 1000 });
  const taken = new Set(firsts.filter((row) => !isOnlyOnRecord(row)).map((row) => row.corporate_domain));
  const others = rows
    .filter(({ domain }) => !taken.has(domain))
    .map(({ domain, verified_by, created_at: since }) => ({ domain, verified_by, since }));
  if (corporate_domain === null || domain_verified_by === null) return others;
  const first = { domain: corporate_domain, verified_by: domain_verified_by, since: claimed_at ?? created_at };
  return [first, ...others];
}

/** The organization that has a domain as its first, or else as another, or else only has it on record; undefined where nobody has. */
export async function holderOfDomain(store: Store, domain: string): Promise<Organization | undefined> {
  const rows = store.collection(organizations);
  const first = (await rows.find({ where: { corporate_domain: domain }, limit: 1 })).rows[0];
  if (first !== undefined && !isOnlyOnRecord(first)) return first;
  const other = await store.collection(organizationDomains).get(domain);
  return (other && (await rows.get(other.organization_id))) ?? first;
}

/** The active organization that has proved this very domain, and nobody's else; undefined where there is none. */
export async function provedHolder(store: Store, domain: string): Promise<Organization | undefined> {
  const holder = await holderOfDomain(store, domain);
  if (holder?.state !== 'active') return undefined;
  return holder.corporate_domain === domain && holder.domain_verified_by === null ? undefined : holder;
}
