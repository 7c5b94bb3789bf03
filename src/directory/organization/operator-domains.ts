import type { OrganizationId } from '../../platform/organization-id.ts';
import { AppError } from '../../platform/errors.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import { DuplicateError } from '../../platform/store/collection.ts';
import type { Store } from '../../platform/store/collection.ts';
import { agents } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import { removeAgent } from '../agent/remove-agent.ts';
import { domainTaken } from '../domain-claim/settle-claim.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { endHostedFile, holdHostedFile } from '../hosted-file/end-hosted-file.ts';
import { ensureProfile } from '../member-profile/ensure-profile.ts';
import { findByVerifiedDomain } from './find-by-domain.ts';
import { holderOfDomain, organizationDomains } from './organization-domain.ts';
import { isOnlyOnRecord, organizations } from './organization.ts';
import type { Organization } from './organization.ts';

/** What an operator takes from an organization, or gives it. */
export interface DomainOfOrganization {
  organization_id: OrganizationId;
  /** By rule R1. */
  domain: string;
}

/**
 * Takes a domain from an organization, its first one too, so that whoever has the domain can prove it. Its agents below
 * the domain, that no other domain of it covers, end with it, and so does a file hosted for it. Safe to repeat, also after it was killed anywhere. Answers how many
 * agents ended.
 * @throws {AppError} `NOT_FOUND` where the organization has no such domain; `CONFLICT` where it only is on record with it.
 */
export async function takeDomain(deps: FeedDeps, { organization_id, domain }: DomainOfOrganization): Promise<number> {
  const { store } = deps;
  const organization = await store.collection(organizations).get(organization_id);
  if (organization === undefined) throw unknown('organization_id', 'no organization has this id');
  if (isOnlyOnRecord(organization))
    throw new AppError('CONFLICT', 'nobody has this organization; whoever proves the domain has it', {
      field: 'organization_id',
    });
  const hosted = { publisher_domain: domain, organization_id };
  await holdHostedFile(deps, hosted);
  const hadFirst = organization.corporate_domain === domain && (await takeFirst(deps, organization_id, domain));
  const hadFurther = await takeFurther(store, organization_id, domain);
  // Afterwards, so that none is registered or saved meanwhile.
  await endHostedFile(deps, hosted);
  const uncovered = await agentsBelow(store, organization_id, domain);
  for (const agent of uncovered) await removeAgent(deps, agent);
  if (!hadFirst && !hadFurther && uncovered.length === 0)
    throw unknown('domain', 'the organization has no such domain');
  return uncovered.length;
}

/**
 * Gives an organization that has none its first domain: its API keys can register agents there, and while nobody owns it, whoever proves
 * the domain does. The same again changes nothing.
 * @throws {AppError} `NOT_FOUND`; `CONFLICT` for a personal workspace or a prospect, where it has another, or another has this one.
 */
export async function giveDomain(
  deps: FeedDeps,
  { organization_id, domain }: DomainOfOrganization,
): Promise<Organization> {
  const { store } = deps;
  const holder = await holderOfDomain(store, domain);
  if (holder !== undefined && holder.organization_id !== organization_id) throw domainTaken(domain);
  const given = await announcing(deps, [{ kind: 'organization', key: organization_id }], () =>
    store
      .collection(organizations)
      .update(organization_id, (row) =>
        row.state === 'active' && !row.is_personal && row.corporate_domain === null
          ? { ...row, corporate_domain: domain, domain_verified_by: 'operator' }
          : undefined,
      )
      .catch((error: unknown) => {
        if (error instanceof DuplicateError) throw domainTaken(domain);
        throw error;
      }),
  );
  if (given === undefined) throw unknown('organization_id', 'no organization has this id');
  if (given.row.corporate_domain !== domain)
    throw new AppError(
      'CONFLICT',
      'only an active company without a domain is given one; release the one that it has first',
      { field: 'organization_id' },
    );
  await ensureProfile(deps, given.row);
  return given.row;
}

async function takeFirst(deps: FeedDeps, organization_id: OrganizationId, domain: string): Promise<boolean> {
  const written = await announcing(deps, [{ kind: 'organization', key: organization_id }], () =>
    deps.store
      .collection(organizations)
      .update(organization_id, (row) =>
        row.corporate_domain === domain ? { ...row, corporate_domain: null, domain_verified_by: null } : undefined,
      ),
  );
  return written?.changed === true;
}

async function takeFurther(store: Store, organization_id: OrganizationId, domain: string): Promise<boolean> {
  const rows = store.collection(organizationDomains);
  const row = await rows.get(domain);
  return row?.organization_id === organization_id && (await rows.delete(domain, row.revision));
}

/** Those at the domain or below it whose organization has no domain any more that they are below. */
async function agentsBelow(store: Store, organization_id: OrganizationId, domain: string): Promise<Agent[]> {
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

function unknown(field: string, message: string): AppError {
  return new AppError('NOT_FOUND', message, { field });
}
