import type { OrganizationId } from '../../platform/organization-id.ts';
import { AppError } from '../../platform/errors.ts';
import { DuplicateError } from '../../platform/store/collection.ts';
import { domainTaken } from '../domain-claim/settle-claim.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { ensureProfile } from '../member-profile/ensure-profile.ts';
import { loseDomain, loseToFirst } from './lose-domain.ts';
import type { DomainOfOrganization } from './lose-domain.ts';
import { holderOfDomain } from './organization-domain.ts';
import { isOnlyOnRecord, organizations } from './organization.ts';
import type { Organization } from './organization.ts';

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
  const isFirst = organization.corporate_domain === domain;
  const of = { organization_id, domain };
  const lost = await loseDomain(deps, of, isFirst ? () => takeFirst(deps, organization_id, domain) : undefined);
  if (!lost.wasHeld && lost.agentsRemoved === 0) throw unknown('domain', 'the organization has no such domain');
  return lost.agentsRemoved;
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
  await loseToFirst(deps, { organization_id, domain });
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

function unknown(field: string, message: string): AppError {
  return new AppError('NOT_FOUND', message, { field });
}
