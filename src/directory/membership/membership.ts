import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

export const MembershipRole = z.enum(['owner', 'admin', 'member']);
export type MembershipRole = z.infer<typeof MembershipRole>;

/**
 * A user who joined an organization. One owner is named by the organization's own row, with or without a membership: there
 * they own it whatever the role here says (`owners.ts`).
 */
export const Membership = z.object({
  membership_id: z.string(),
  organization_id: OrganizationId,
  user_id: z.string(),
  role: MembershipRole,
  created_at: z.string(),
  revision: z.number().int(),
});
export type Membership = z.infer<typeof Membership>;

export const memberships: CollectionSpec<Membership> = {
  name: 'memberships',
  key: 'membership_id',
  schema: Membership,
  indexes: [
    { name: 'organization', fields: ['organization_id', 'created_at'] },
    { name: 'role', fields: ['organization_id', 'role', 'created_at'] },
    { name: 'user', fields: ['user_id', 'created_at'] },
  ],
};

export function membershipId(organizationId: OrganizationId, userId: string): string {
  return `${organizationId}/${userId}`;
}
