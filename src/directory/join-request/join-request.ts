import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { MembershipRole } from '../membership/membership.ts';

export const JoinRequestStatus = z.enum(['pending', 'approved', 'rejected']);

/** A user asks to join an organization; one of its owners decides (rule R8). */
export const JoinRequest = z.object({
  join_request_id: z.string(),
  organization_id: OrganizationId,
  user_id: z.string(),
  email: z.string(),
  status: JoinRequestStatus,
  /** Organization and user while pending, else null: at most one request of theirs is pending. */
  pending_for: z.string().nullable(),
  /** Given on approval. */
  role: MembershipRole.nullable(),
  created_at: z.string(),
  decided_at: z.string().nullable(),
  decided_by: z.string().nullable(),
  revision: z.number().int(),
});
export type JoinRequest = z.infer<typeof JoinRequest>;

export const joinRequests: CollectionSpec<JoinRequest> = {
  name: 'join_requests',
  key: 'join_request_id',
  schema: JoinRequest,
  indexes: [
    { name: 'pending', fields: ['pending_for'], unique: true },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
  ],
};
