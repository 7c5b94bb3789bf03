import { roleIn } from '../../directory/membership/organizations-of-user.ts';
import { claimOrganization } from '../../directory/organization/claim.ts';
import { findByVerifiedDomain } from '../../directory/organization/find-by-domain.ts';
import { organizations } from '../../directory/organization/organization.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Store } from '../../platform/store/collection.ts';
import { managedOrganizations } from '../auth/managed-organizations.ts';
import { organizationsOfCaller } from '../auth/organizations-of-caller.ts';
import { companyDomain, taken } from '../create-organization/route.ts';
import type { EndpointCall } from '../endpoint.ts';

/** Whether a host is an organization's first domain, verified, or below it (rule R9). */
function ownsHost({ corporate_domain, domain_verified_by }: Organization, host: string): boolean {
  if (corporate_domain === null || domain_verified_by === null) return false;
  return host === corporate_domain || host.endsWith(`.${corporate_domain}`);
}

/** By a domain that it proved besides its first one. */
async function managedByFurtherDomain(
  { store }: EndpointCall,
  managed: readonly Organization[],
  host: string,
): Promise<Organization | undefined> {
  const holder = managed.length === 0 ? undefined : await findByVerifiedDomain(store, host);
  return managed.find((row) => row.organization_id === holder?.organization_id);
}

/**
 * The caller's organization that owns the host; for a person who has none yet, one made from the e-mail's domain.
 * @throws {AppError} `FORBIDDEN` when the host is not theirs or not theirs to manage, `CONFLICT` when others have claimed the domain.
 */
export async function organizationForHost(
  call: EndpointCall,
  host: string,
): Promise<{ organization: Organization; wasMade: boolean }> {
  const managed = await managedOrganizations(call.store, call.caller);
  const owner = managed.find((row) => ownsHost(row, host)) ?? (await managedByFurtherDomain(call, managed, host));
  if (owner) return { organization: owner, wasMade: false };
  const own = await organizationsOfCaller(call.store, call.caller);
  if (own.some((row) => ownsHost(row, host))) {
    // It may have been made by another call of theirs since those that they manage were read.
    const made = (await managedOrganizations(call.store, call.caller)).find((row) => ownsHost(row, host));
    if (made === undefined) throw noManager();
    return { organization: made, wasMade: false };
  }
  if (call.caller?.kind !== 'user' || managed.some((row) => !row.is_personal)) throw notTheirs();

  const { user } = call.caller;
  const domain = companyDomain(user.email);
  if (host !== domain && !host.endsWith(`.${domain}`)) throw notTheirs();
  const { kind, organization } = await claimOrganization(call, {
    user_id: user.user_id,
    name: domain,
    corporate_domain: domain,
    company_type: null,
    revenue_tier: null,
    address: call.address,
    ...call.documents,
  });
  if (kind === 'taken' && organization.owner_id !== user.user_id) {
    if ((await roleIn(call.store, organization, user.user_id)) === undefined)
      throw taken(organization.organization_id, false);
    throw noManager();
  }
  return { organization, wasMade: kind !== 'taken' };
}

/** Whether an organization has the host now: an operator may have taken the domain since that was asked. */
export async function stillHasHost(store: Store, organization_id: OrganizationId, host: string): Promise<boolean> {
  const row = await store.collection(organizations).get(organization_id);
  return (
    row !== undefined &&
    (ownsHost(row, host) || (await findByVerifiedDomain(store, host))?.organization_id === organization_id)
  );
}

export function notTheirs(): AppError {
  return new AppError('FORBIDDEN', "the agent's host must be your organization's verified domain or below it", {
    field: 'url',
  });
}

function noManager(): AppError {
  return new AppError(
    'FORBIDDEN',
    'you belong to this organization as a member: its owners and admins register agents; ask an owner for that role',
    { field: 'url' },
  );
}
