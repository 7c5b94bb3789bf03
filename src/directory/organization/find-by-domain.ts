import type { Store } from '../../platform/store/collection.ts';
import { withParents } from '../domain/normalize-domain.ts';
import { organizationDomains } from './organization-domain.ts';
import { isOnlyOnRecord, organizations } from './organization.ts';
import type { Organization } from './organization.ts';

/**
 * The active organization whose verified domain is this host or the nearest domain above it (rule R5). An organization's first domain
 * goes before the same one of another, unless it is only on record (a prospect's).
 */
export async function findByVerifiedDomain(store: Store, host: string): Promise<Organization | undefined> {
  const names = withParents(host);
  const rows = store.collection(organizations);
  const [first, others] = await Promise.all([
    rows.find({ where: { corporate_domain: { in: names } } }),
    store.collection(organizationDomains).getMany(names),
  ]);
  const taken = new Set(first.rows.filter((row) => !isOnlyOnRecord(row)).map((row) => row.corporate_domain));
  const further = others.filter(({ domain }) => !taken.has(domain));
  const holders = new Map(
    (further.length === 0 ? [] : await rows.getMany(further.map((row) => row.organization_id))).map((row) => [
      row.organization_id,
      row,
    ]),
  );
  return [
    ...first.rows.map((row) => ({
      domain: row.corporate_domain ?? '',
      row,
      isVerified: row.domain_verified_by !== null,
    })),
    ...further.map(({ domain, organization_id }) => ({ domain, row: holders.get(organization_id), isVerified: true })),
  ]
    .filter(({ row, isVerified }) => row?.state === 'active' && isVerified)
    .sort((a, b) => b.domain.length - a.domain.length)[0]?.row;
}
