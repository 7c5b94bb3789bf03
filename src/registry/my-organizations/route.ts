import { z } from 'zod';
import { MembershipRole, membershipId, memberships } from '../../directory/membership/membership.ts';
import { organizationsOfUser } from '../../directory/membership/organizations-of-user.ts';
import { isSuspended } from '../../directory/organization/suspension.ts';
import { MembershipTier } from '../../directory/organization/organization.ts';
import { resolveTier } from '../../directory/organization/tier.ts';
import { requireUser } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';

const OwnOrganization = z.object({
  organization_id: z.string(),
  name: z.string(),
  role: MembershipRole,
  since: z.string().describe('When you joined, or became the owner'),
  is_personal: z.boolean(),
  is_suspended: z.boolean().describe('An operator has it suspended: nobody acts for it'),
  membership_tier: MembershipTier.nullable(),
  membership_tier_label: z.string().nullable(),
});

/** Also those that are suspended, so that people see why nothing opens (rule R8.members). */
export const listMyOrganizations = endpoint({
  id: 'listMyOrganizations',
  method: 'get',
  path: '/api/me/organizations',
  tag: 'Organizations',
  summary: 'List the organizations that you belong to',
  access: 'required',
  effect: 'read',
  limit: 'own_memberships',
  responses: {
    200: {
      description: 'Those whose row names you as owner first; then by when you joined',
      schema: z.object({ organizations: z.array(OwnOrganization) }),
    },
  },

  async handle(_input, { store, caller }) {
    const { user_id } = requireUser(caller);
    const own = await organizationsOfUser(store, user_id);
    const joined = await store
      .collection(memberships)
      .getMany(own.map((row) => membershipId(row.organization_id, user_id)));
    const organizations = own.map((row) => {
      const membership = joined.find(({ organization_id }) => organization_id === row.organization_id);
      const tier = resolveTier(row);
      return {
        ...{ organization_id: row.organization_id, name: row.name, is_personal: row.is_personal },
        role: row.owner_id === user_id ? 'owner' : (membership?.role ?? 'member'),
        since: membership?.created_at ?? row.claimed_at ?? row.created_at,
        is_suspended: isSuspended(row),
        membership_tier: tier?.tier ?? null,
        membership_tier_label: tier?.label ?? null,
      };
    });
    const isOwned = (id: string) => own.find((row) => row.organization_id === id)?.owner_id === user_id;
    organizations.sort(
      (a, b) =>
        Number(isOwned(b.organization_id)) - Number(isOwned(a.organization_id)) || a.since.localeCompare(b.since),
    );
    return { body: { organizations } };
  },
});
