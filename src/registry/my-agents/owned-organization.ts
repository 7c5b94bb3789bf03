import { claimOrganization } from '../../directory/organization/claim.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { AppError } from '../../platform/errors.ts';
import { managedOrganizations } from '../auth/managed-organizations.ts';
import { companyDomain, taken } from '../create-organization/route.ts';
import type { EndpointCall } from '../endpoint.ts';

/** Whether a host is an organization's verified domain or below it (rule R9). */
function ownsHost({ corporate_domain, domain_verified_by }: Organization, host: string): boolean {
  if (corporate_domain === null || domain_verified_by === null) return false;
  return host === corporate_domain || host.endsWith(`.${corporate_domain}`);
}

/**
 * The caller's organization that owns the host; for a person who has none yet, one made from the e-mail's domain.
 * @throws {AppError} `FORBIDDEN` when the host is not theirs, `CONFLICT` when others have claimed the domain.
 */
export async function organizationForHost(
  call: EndpointCall,
  host: string,
): Promise<{ organization: Organization; wasMade: boolean }> {
  const managed = await managedOrganizations(call.store, call.caller);
  const owner = managed.find((row) => ownsHost(row, host));
  if (owner) return { organization: owner, wasMade: false };
  const refusal = new AppError(
    'FORBIDDEN',
    "the agent's host must be your organization's verified domain or below it",
    {
      field: 'url',
    },
  );
  if (call.caller?.kind !== 'user' || managed.some((row) => !row.is_personal)) throw refusal;

  const { user } = call.caller;
  const domain = companyDomain(user.email);
  if (host !== domain && !host.endsWith(`.${domain}`)) throw refusal;
  const { kind, organization } = await claimOrganization(call, {
    user_id: user.user_id,
    name: domain,
    corporate_domain: domain,
    company_type: null,
    revenue_tier: null,
    address: call.address,
    ...call.documents,
  });
  if (kind === 'taken' && organization.owner_id !== user.user_id) throw taken(organization.organization_id, false);
  return { organization, wasMade: kind !== 'taken' };
}
