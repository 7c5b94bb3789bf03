import type { OrganizationId } from '../../platform/organization-id.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { agents } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import { removeAgent } from '../agent/remove-agent.ts';
import { endClaims } from '../domain-claim/end-claims.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { endHostedFile, holdHostedFile } from '../hosted-file/end-hosted-file.ts';
import { findByVerifiedDomain } from './find-by-domain.ts';
import { organizationDomains } from './organization-domain.ts';

export interface DomainOfOrganization {
  organization_id: OrganizationId;
  /** By rule R1. */
  domain: string;
}

/**
 * An organization has a domain no longer: with its row go its agents below the domain, that no other domain of it covers, a file
 * hosted for it, and its claims of it, which would prove it anew. Safe to repeat, also after it was killed anywhere.
 * @param takeFirst ends that it is the organization's first, and answers whether it did; left out where it is not.
 */
export async function loseDomain(
  deps: FeedDeps,
  of: DomainOfOrganization,
  takeFirst?: () => Promise<boolean>,
): Promise<{ wasHeld: boolean; agentsRemoved: number }> {
  const { organization_id, domain } = of;
  const hosted = { publisher_domain: domain, organization_id };
  await holdHostedFile(deps, hosted);
  const further = await furtherOf(deps.store, of);
  // Before it: a claim that is settled at this instant sees that it is over, or its row is there to be taken.
  if (takeFirst !== undefined || further !== undefined) await endClaims(deps.store, of);
  const hadFirst = (await takeFirst?.()) === true;
  const hadFurther = await takeFurther(deps.store, of);
  // Afterwards, so that none is registered or saved meanwhile.
  await endHostedFile(deps, hosted);
  const uncovered = await agentsBelow(deps.store, of);
  for (const agent of uncovered) await removeAgent(deps, agent);
  return { wasHeld: hadFirst || hadFurther, agentsRemoved: uncovered.length };
}

/** Whom a domain was proved for as a further one loses it where it has become another's first meanwhile, which goes before. */
export async function loseToFirst(deps: FeedDeps, { organization_id, domain }: DomainOfOrganization): Promise<void> {
  const row = await deps.store.collection(organizationDomains).get(domain);
  if (row === undefined || row.organization_id === organization_id) return;
  await loseDomain(deps, { organization_id: row.organization_id, domain });
}

async function furtherOf(store: Store, { organization_id, domain }: DomainOfOrganization) {
  const row = await store.collection(organizationDomains).get(domain);
  return row?.organization_id === organization_id ? row : undefined;
}

async function takeFurther(store: Store, of: DomainOfOrganization): Promise<boolean> {
  const row = await furtherOf(store, of);
  return row !== undefined && store.collection(organizationDomains).delete(of.domain, row.revision);
}

/** Those at the domain or below it whose organization has no domain any more that they are below. */
async function agentsBelow(store: Store, { organization_id, domain }: DomainOfOrganization): Promise<Agent[]> {
  const found: Agent[] = [];
  const own = { where: { organization_id }, sort: { field: 'created_at', direction: 'asc' } } as const;
  for await (const agent of allRows(store.collection(agents), own)) {
    const { hostname } = new URL(agent.url);
    if (hostname !== domain && !hostname.endsWith(`.${domain}`)) continue;
    const holder = await findByVerifiedDomain(store, hostname);
    if (holder?.organization_id !== organization_id) found.push(agent);
  }
  return found;
}
