import { domainClaims, newDomainClaim } from '../../directory/domain-claim/domain-claim.ts';
import { lookForProof } from '../../directory/domain-claim/look-for-proof.ts';
import { claimOver, domainTaken, isClaimable, settleClaim } from '../../directory/domain-claim/settle-claim.ts';
import { normalizeDomain, registrableDomain } from '../../directory/domain/normalize-domain.ts';
import { roleIn } from '../../directory/membership/organizations-of-user.ts';
import { withOwnerNamed } from '../../directory/membership/owners.ts';
import { holderOfDomain, organizationDomains } from '../../directory/organization/organization-domain.ts';
import { isOnlyOnRecord } from '../../directory/organization/organization.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { isSuspended, suspendedError } from '../../directory/organization/suspension.ts';
import { recordUser } from '../../directory/user/user.ts';
import { AppError } from '../../platform/errors.ts';
import { requireUser } from '../auth/caller.ts';
import { knownOrganization } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';
import { ClaimParams, ClaimRequest, ClaimVerified, ClaimView, viewOfClaim } from './schema.ts';

/** Answers a token, and where to show it (rule R8.claims). */
export const claimDomain = endpoint({
  id: 'claimDomain',
  method: 'post',
  path: '/api/organizations/{orgId}/claims',
  tag: 'Organizations',
  summary: 'Claim a domain: an organization without owner, or one domain more for your own',
  description:
    'Show the token where `place` says, then verify. An organization that nobody owns is claimed by the domain it is on record with; further domains are added by owners. A claim is open for 7 days; asked for again meanwhile, it is answered as it is.',
  access: 'required',
  effect: 'write',
  limit: 'claim_domain',
  params: OrganizationParams,
  body: ClaimRequest,
  responses: { 201: { description: 'What to show, and where', schema: ClaimView } },

  async handle({ params, body }, call) {
    const { user_id } = requireUser(call.caller);
    const domain = normalizeDomain(body.domain)?.domain;
    if (domain === undefined || registrableDomain(domain) === null)
      throw new AppError(
        'VALIDATION_ERROR',
        'domain: send a domain name that somebody registered, such as acme.example',
        {
          field: 'domain',
        },
      );
    const { organization } = await claimant(call, params.orgId, domain);
    const rows = call.store.collection(domainClaims);
    const { organization_id } = organization;
    // Whose answer was lost asks again, and may have shown the token already.
    const same = { user_id, organization_id, domain, method: body.method, verified_at: null };
    const open = (await rows.find({ where: same, limit: 1 })).rows[0];
    if (open !== undefined) return { status: 201, body: viewOfClaim(open) };
    call.budgets.checkRows(
      'open_claims',
      await rows.count({ user_id, verified_at: null }, { most: call.budgets.size('open_claims') }),
    );
    const claim = newDomainClaim(call, { organization_id, user_id, domain, method: body.method });
    await rows.insert(claim);
    return { status: 201, body: viewOfClaim(claim) };
  },
});

/** Safe to repeat (rule R8.claims). */
export const verifyClaim = endpoint({
  id: 'verifyClaim',
  method: 'post',
  path: '/api/organizations/{orgId}/claims/{claimId}/verify',
  tag: 'Organizations',
  summary: 'Have a claimed domain looked at, and get what it proves',
  description:
    '409 says what is missing while the token cannot be found. Becoming the owner accepts the terms, as creating an organization does.',
  access: 'required',
  effect: 'write',
  limit: 'verify_claim',
  params: ClaimParams,
  responses: { 200: { description: 'The domain is proved', schema: ClaimVerified } },

  async handle({ params }, call) {
    const user = requireUser(call.caller);
    const claims = call.store.collection(domainClaims);
    const claim = await claims.get(params.claimId);
    if (claim?.user_id !== user.user_id || claim.organization_id !== params.orgId) throw claimOver();
    const { domain } = claim;
    await claimant(call, claim.organization_id, domain);
    const look = await lookForProof(call, claim);
    if (!look.found) throw new AppError('CONFLICT', `not proved yet: ${look.reason}`);
    // As it is now: the look may have taken seconds.
    if ((await claims.get(claim.claim_id)) === undefined) throw claimOver();
    const { isOwner } = await claimant(call, claim.organization_id, domain);
    const consent = { address: call.address, ...call.documents };
    const outcome = await settleClaim(call, claim, { isOwner, consent });
    await recordUser(call, user, undefined);
    return { body: { id: claim.claim_id, organization_id: claim.organization_id, domain, outcome } };
  },
});

/**
 * The organization, and whether the caller owns it, where they may claim this domain for it.
 * @throws {AppError} `FORBIDDEN` where somebody else owns it, or it is a personal workspace; `CONFLICT` where the domain is not the one
 * it is on record with, or is another's.
 */
async function claimant(
  { store, caller, budgets }: EndpointCall,
  organizationId: string,
  domain: string,
): Promise<{ organization: Organization; isOwner: boolean }> {
  const user = requireUser(caller);
  const known = await knownOrganization(store, organizationId, user);
  if (known.is_personal) throw new AppError('FORBIDDEN', 'a personal workspace has no domains');
  const organization = await withOwnerNamed(store, known.organization_id);
  const holder = await holderOfDomain(store, domain);
  const isOthers = holder !== undefined && holder.organization_id !== organization.organization_id;
  if (organization.owner_id === null) {
    if (isOthers && isClaimable(organization, domain)) throw domainTaken(domain);
    if (isClaimable(organization, domain)) return { organization: notSuspended(organization), isOwner: false };
    throw new AppError(
      'CONFLICT',
      'nobody owns this organization, and it is not on record with this domain; claim it by its own, or ask the operator',
      { field: 'domain' },
    );
  }
  if ((await roleIn(store, organization, user.user_id)) !== 'owner')
    throw new AppError('FORBIDDEN', 'only an owner of the organization may do this');
  if (isOthers && !isOnlyOnRecord(holder)) throw domainTaken(domain);
  if (isOthers || holder === undefined) {
    const { organization_id } = organization;
    budgets.checkRows('domains', await store.collection(organizationDomains).count({ organization_id }));
  }
  return { organization: notSuspended(organization), isOwner: true };
}

function notSuspended(organization: Organization): Organization {
  if (isSuspended(organization)) throw suspendedError();
  return organization;
}
