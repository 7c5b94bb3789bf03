import type { Store } from '../../platform/store/collection.ts';
import { withParents } from '../domain/normalize-domain.ts';
import { organizations } from './organization.ts';
import type { Organization } from './organization.ts';

/** The active organization whose verified domain is this host or the nearest domain above it (rule R5). */
export async function findByVerifiedDomain(store: Store, host: string): Promise<Organization | undefined> {
  const { rows } = await store
    .collection(organizations)
    .find({ where: { corporate_domain: { in: withParents(host) } } });
  return rows
    .filter((row) => row.state === 'active' && row.domain_verified_by !== null)
    .sort((a, b) => (b.corporate_domain?.length ?? 0) - (a.corporate_domain?.length ?? 0))[0];
}
