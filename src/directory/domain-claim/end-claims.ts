import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { domainClaims } from './domain-claim.ts';
import type { DomainClaim } from './domain-claim.ts';

/** Ends all claims of a domain for an organization, proved or not: what was shown for them proves nothing any more. Safe to repeat. */
export async function endClaims(
  store: Store,
  { organization_id, domain }: Pick<DomainClaim, 'organization_id' | 'domain'>,
): Promise<void> {
  const rows = store.collection(domainClaims);
  const ended: string[] = [];
  for await (const { claim_id } of allRows(rows, { where: { domain, organization_id } })) ended.push(claim_id);
  for (const claim_id of ended) await rows.delete(claim_id);
}
