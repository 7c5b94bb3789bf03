import { ensureProfile } from '../../directory/member-profile/ensure-profile.ts';
import { claimOrganization } from '../../directory/organization/claim.ts';
import { corporateDomainOf } from '../../directory/organization/corporate-domain.ts';
import { recordUser } from '../../directory/user/user.ts';
import { AppError } from '../../platform/errors.ts';
import { requireUser } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';
import { OrganizationAdopted, OrganizationCreated, OrganizationRequest } from './schema.ts';

/** Creates or adopts an organization (rules C.endpoints.organizations, R7). */
export const createOrganization = endpoint({
  id: 'createOrganization',
  method: 'post',
  path: '/api/organizations',
  tag: 'Organizations',
  summary: 'Create or adopt an organization',
  description:
    "The caller becomes its owner, and it has a private member profile. A company's domain is taken from the caller's e-mail; if a prospect with that domain is on record it is adopted, and if an organization has claimed it the answer is 409 with its id.",
  access: 'required',
  effect: 'write',
  limit: 'create_organization',
  counts: 'refused',
  body: OrganizationRequest,
  responses: {
    200: { description: 'A prospect was adopted', schema: OrganizationAdopted },
    201: { description: 'A new organization', schema: OrganizationCreated },
  },

  async handle({ body }, call) {
    const user = requireUser(call.caller);
    const result = await claimOrganization(call, {
      user_id: user.user_id,
      name: body.organization_name,
      corporate_domain: body.is_personal === true ? null : companyDomain(user.email),
      company_type: body.company_type ?? null,
      revenue_tier: body.revenue_tier ?? null,
      address: call.address,
      ...call.documents,
    });
    const { organization_id: id, name } = result.organization;
    if (result.kind === 'taken') throw taken(id, body.is_personal === true);
    await ensureProfile(call, result.organization);
    await recordUser(call, user, body.marketing_opt_in);
    return result.kind === 'adopted'
      ? { body: { id, name, adopted: true } }
      : { status: 201, body: { success: true, organization: { id, name } } };
  },
});

/** @throws {AppError} `VALIDATION_ERROR` when the address proves no company. */
export function companyDomain(email: string | null): string {
  const domain = email === null ? undefined : corporateDomainOf(email);
  if (domain !== undefined) return domain;
  throw new AppError(
    'VALIDATION_ERROR',
    'a company needs a verified corporate e-mail address, not one of a free-mail provider; send is_personal: true for a personal workspace',
  );
}

/** The refusal for an organization that somebody has claimed. */
export function taken(existing_org_id: string, isPersonal: boolean): AppError {
  return new AppError(
    'CONFLICT',
    isPersonal
      ? 'you have a personal workspace already'
      : `an organization with your e-mail's domain exists; ask to join it: POST /api/organizations/${existing_org_id}/join-requests, or, if nobody owns it, prove the domain: POST /api/organizations/${existing_org_id}/claims`,
    { details: { existing_org_id } },
  );
}
