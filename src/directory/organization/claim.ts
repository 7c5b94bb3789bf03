import { toTimestamp } from '../../platform/clock.ts';
import type { Ids } from '../../platform/clock.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { Store } from '../../platform/store/collection.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { memberships } from '../membership/membership.ts';
import { loseToFirst } from './lose-domain.ts';
import { holderOfDomain } from './organization-domain.ts';
import { newOrganization, organizations } from './organization.ts';
import type { Organization } from './organization.ts';

export interface ClaimDeps extends FeedDeps {
  ids: Ids;
}

/** Who claims, and what they said. */
export interface OrganizationClaim {
  user_id: string;
  name: string;
  /** Null for a personal workspace. */
  corporate_domain: string | null;
  company_type: Organization['company_type'];
  revenue_tier: Organization['revenue_tier'];
  /** Where the request came from, and which versions of the documents it accepts. */
  address: string;
  terms_version: string;
  privacy_version: string;
}

/** `taken`: an active organization has the domain, or the user has a personal workspace already. */
export interface ClaimResult {
  kind: 'created' | 'adopted' | 'taken';
  organization: Organization;
}

/**
 * Creates an organization for its first owner, or adopts the prospect that has the domain
 * (rules C.states.adoption.prospect, C.states.adoption.none, R7). One write decides, with owner and consent in it: of
 * any number at once, one owns it and the others find it taken. The change feed tells it, also when this process dies
 * right after that write.
 */
export async function claimOrganization(deps: ClaimDeps, claim: OrganizationClaim): Promise<ClaimResult> {
  const result = await createOrAdopt(deps, claim);
  const { organization_id, corporate_domain: domain } = result.organization;
  if (result.kind !== 'taken' && domain !== null) await loseToFirst(deps, { organization_id, domain });
  return result;
}

async function createOrAdopt(deps: ClaimDeps, claim: OrganizationClaim): Promise<ClaimResult> {
  const rows = deps.store.collection(organizations);
  const now = toTimestamp(deps.clock.now());
  const ownership = {
    owner_id: claim.user_id,
    claimed_at: now,
    domain_verified_by: claim.corporate_domain === null ? null : ('email' as const),
    consent: {
      user_id: claim.user_id,
      accepted_at: now,
      address: claim.address,
      terms_version: claim.terms_version,
      privacy_version: claim.privacy_version,
    },
  };
  const fresh = newOrganization({
    organization_id: OrganizationId.parse(`org_${deps.ids.newId()}`),
    name: claim.name,
    state: 'active',
    created_at: now,
    is_personal: claim.corporate_domain === null,
    personal_owner_id: claim.corporate_domain === null ? claim.user_id : null,
    corporate_domain: claim.corporate_domain,
    company_type: claim.company_type,
    revenue_tier: claim.revenue_tier,
    ...ownership,
  });
  for (;;) {
    const holder = await holderOf(deps.store, claim);
    if (holder === undefined) {
      const { inserted } = await announcing(deps, [subjectOf(fresh)], () => rows.insert(fresh));
      if (inserted) return { kind: 'created', organization: fresh };
      continue;
    }
    if (!(await isUnclaimed(deps.store, holder))) return { kind: 'taken', organization: holder };
    const adoption = await announcing(deps, [subjectOf(holder)], () =>
      rows.update(holder.organization_id, (row) =>
        row.state === 'prospect' && row.owner_id === null
          ? {
              ...row,
              ...ownership,
              state: 'active',
              company_type: claim.company_type ?? row.company_type,
              revenue_tier: claim.revenue_tier ?? row.revenue_tier,
            }
          : undefined,
      ),
    );
    // Without an answer the holder was removed in between: begin again.
    if (adoption) return { kind: adoption.changed ? 'adopted' : 'taken', organization: adoption.row };
  }
}

function subjectOf({ organization_id }: Organization) {
  return { kind: 'organization', key: organization_id } as const;
}

async function holderOf(
  store: Store,
  { corporate_domain, user_id }: OrganizationClaim,
): Promise<Organization | undefined> {
  if (corporate_domain !== null) return holderOfDomain(store, corporate_domain);
  const where = { personal_owner_id: user_id };
  return (await store.collection(organizations).find({ where, limit: 1 })).rows[0];
}

/** A prospect whom nobody has joined. */
async function isUnclaimed(store: Store, { organization_id, state, owner_id }: Organization): Promise<boolean> {
  if (state !== 'prospect' || owner_id !== null) return false;
  return (await store.collection(memberships).count({ organization_id })) === 0;
}
