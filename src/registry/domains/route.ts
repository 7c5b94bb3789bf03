import { z } from 'zod';
import { letGoOfDomain } from '../../directory/organization/let-go-of-domain.ts';
import { provedDomains } from '../../directory/organization/organization-domain.ts';
import { normalizeHost } from '../../directory/domain/normalize-domain.ts';
import { requireMember, requireOwner } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';

/** The first one before the others (rule R8.claims). */
export const listDomains = endpoint({
  id: 'listDomains',
  method: 'get',
  path: '/api/organizations/{orgId}/domains',
  tag: 'Organizations',
  summary: 'List the domains that the organization has proved; for its members',
  access: 'required',
  effect: 'read',
  limit: 'read_members',
  params: OrganizationParams,
  responses: {
    200: {
      description: 'All of them, its first before the others',
      schema: z.object({
        domains: z.array(
          z.object({
            domain: z.string(),
            verified_by: z.enum(['email', 'operator', 'dns', 'file']),
            since: z.string(),
          }),
        ),
      }),
    },
  },

  async handle({ params }, { store, caller }) {
    const { organization } = await requireMember(store, caller, params.orgId);
    return { body: { domains: await provedDomains(store, organization) } };
  },
});

/** So that whoever has the domain next can prove it (rule R8.claims). */
export const releaseDomain = endpoint({
  id: 'releaseDomain',
  method: 'delete',
  path: '/api/organizations/{orgId}/domains/{domain}',
  tag: 'Organizations',
  summary: 'Let go of a further domain; for owners',
  description: 'Its agents there are removed. The first domain stays: it is who the organization is.',
  access: 'required',
  effect: 'write',
  limit: 'change_members',
  params: OrganizationParams.extend({ domain: z.string().min(1).max(300) }),
  responses: { 204: { description: 'Another organization may prove it' } },

  async handle({ params }, call) {
    const { organization, user } = await requireOwner(call.store, call.caller, params.orgId);
    // As it is listed: what is kept may begin with `m.` itself, and below it is another.
    const domain = normalizeHost(params.domain) ?? params.domain;
    await letGoOfDomain(call, organization, { domain, by: user.user_id });
    return { status: 204 };
  },
});
