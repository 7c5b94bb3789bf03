import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { ensureProfile } from '../member-profile/ensure-profile.ts';
import { withOwnerNamed } from '../membership/owners.ts';
import { holderOfDomain, organizationDomains } from '../organization/organization-domain.ts';
import { organizations } from '../organization/organization.ts';
import type { Organization } from '../organization/organization.ts';
import { domainClaims } from './domain-claim.ts';
import type { DomainClaim } from './domain-claim.ts';

export interface SettleClaimDeps extends FeedDeps {
  security: SecurityLog;
}

/** They own the organization now; it has one domain more; its first domain is proved in another way than before. */
export const CLAIM_OUTCOMES = ['owner', 'domain_added', 'domain_confirmed'] as const;
type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];

/** From where a claim was proved, and which versions of the documents doing so accepts. */
export interface ClaimConsent {
  address: string;
  terms_version: string;
  privacy_version: string;
}

/**
 * What follows from a claim that was proved: an organization without owner is theirs, or the organization that they own has one domain
 * more. Again, after a crash in between perhaps, ends in the same.
 * @param isOwner whether they own the organization now.
 * @throws {AppError} `CONFLICT` when somebody else owns it, or has the domain, by now; `NOT_FOUND` when the claim was ended meanwhile.
 */
export async function settleClaim(
  deps: SettleClaimDeps,
  claim: DomainClaim,
  { isOwner, consent }: { isOwner: boolean; consent: ClaimConsent },
): Promise<ClaimOutcome> {
  const outcome = await apply(deps, claim, isOwner, consent);
  const now = toTimestamp(deps.clock.now());
  await deps.store
    .collection(domainClaims)
    .update(claim.claim_id, (row) => (row.verified_at === null ? { ...row, verified_at: now } : undefined));
  const { user_id: subject, organization_id, domain: target, method: reason } = claim;
  deps.security.record('domain.proved', { subject, organization_id, target, reason });
  return outcome;
}

async function apply(
  deps: SettleClaimDeps,
  claim: DomainClaim,
  isOwner: boolean,
  consent: ClaimConsent,
): Promise<ClaimOutcome> {
  if (!isOwner) {
    await becomeOwner(deps, claim, consent);
    return 'owner';
  }
  const own = await deps.store.collection(organizations).get(claim.organization_id);
  if (own?.corporate_domain === claim.domain) {
    await proveFirst(deps, own, claim);
    return 'domain_confirmed';
  }
  await addDomain(deps, claim);
  return 'domain_added';
}

/** One write decides: of any number at once, one owns it. */
async function becomeOwner(deps: SettleClaimDeps, claim: DomainClaim, consent: ClaimConsent): Promise<void> {
  const { organization_id, user_id, domain, method } = claim;
  // Owners by membership alone are owners.
  await withOwnerNamed(deps.store, organization_id);
  const now = toTimestamp(deps.clock.now());
  const result = await announcing(deps, [{ kind: 'organization', key: organization_id }], () =>
    deps.store.collection(organizations).update(organization_id, (row) =>
      isClaimable(row, domain)
        ? {
            ...row,
            ...{ owner_id: user_id, state: 'active', claimed_at: now, domain_verified_by: method },
            consent: { user_id, accepted_at: now, ...consent },
          }
        : undefined,
    ),
  );
  if (result === undefined) throw new AppError('NOT_FOUND', 'no such organization');
  if (result.row.owner_id !== user_id) throw ownedByNow(organization_id);
  await ensureProfile(deps, result.row);
}

/** The organization's own domain, which was known by somebody's e-mail or word. */
async function proveFirst(
  deps: SettleClaimDeps,
  own: Organization,
  { organization_id, domain, method }: DomainClaim,
): Promise<void> {
  await ensureProfile(deps, own);
  await deps.store
    .collection(organizations)
    .update(organization_id, (row) =>
      row.corporate_domain === domain && row.domain_verified_by !== method
        ? { ...row, domain_verified_by: method }
        : undefined,
    );
}

async function addDomain({ store, clock }: SettleClaimDeps, claim: DomainClaim): Promise<void> {
  const { organization_id, user_id, domain, method: verified_by } = claim;
  const created_at = toTimestamp(clock.now());
  const rows = store.collection(organizationDomains);
  const { inserted } = await rows.insert({ domain, organization_id, verified_by, user_id, created_at, revision: 1 });
  // Asked afterwards: the domain may have been let go of meanwhile, which ends its claims.
  const isOver = inserted && (await store.collection(domainClaims).get(claim.claim_id)) === undefined;
  // Likewise: an organization may have come to have it as its first, and then goes before.
  const holder = await holderOfDomain(store, domain);
  if (holder?.organization_id === organization_id && !isOver) return;
  const row = await rows.get(domain);
  if (row?.organization_id === organization_id) await rows.delete(domain, row.revision);
  throw isOver ? claimOver() : domainTaken(domain);
}

export function claimOver(): AppError {
  return new AppError('NOT_FOUND', 'no such claim of yours; it may be over, then make another');
}

/** Whether who proves a domain becomes the owner: it must be the very domain that the organization is on record with. */
export function isClaimable({ owner_id, is_personal, corporate_domain }: Organization, domain: string): boolean {
  return owner_id === null && !is_personal && corporate_domain === domain;
}

export function domainTaken(domain: string): AppError {
  return new AppError(
    'CONFLICT',
    `${domain} belongs to another organization; its owners can let go of it, or let you join; where they are gone, ask the operator`,
    { field: 'domain' },
  );
}

function ownedByNow(organization_id: string): AppError {
  return new AppError(
    'CONFLICT',
    `somebody owns this organization by now; ask to join it: POST /api/organizations/${organization_id}/join-requests`,
  );
}
