import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import { MembershipRole } from '../membership/membership.ts';

export const JoinRequestStatus = z.enum(['pending', 'approved', 'rejected', 'withdrawn']);

/** A user asks to join an organization; one of its owners decides, unless the user takes it back before (rule R8). */
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
  /** Of an approved one: when the membership that came of it ended, so that approving again lets nobody in. */
  membership_ended_at: z.string().optional(),
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
    { name: 'user', fields: ['user_id', 'created_at'] },
    { name: 'status', fields: ['status', 'created_at'] },
  ],
};

/**
 * Notes on what was approved for a user that the membership has ended; what was never approved stays as it is. Again changes
 * nothing.
 */
export async function closeApprovals(
  store: Store,
  { organization_id, user_id }: Pick<JoinRequest, 'organization_id' | 'user_id'>,
  now: string,
): Promise<void> {
  const rows = store.collection(joinRequests);
  for await (const { join_request_id, status } of allRows(rows, {
    where: { user_id, organization_id },
    sort: { field: 'created_at', direction: 'asc' },
  }))
    // One that is pending may be approved at this instant.
    if (status === 'approved' || status === 'pending')
      await rows.update(join_request_id, (row) =>
        row.status === 'approved' && row.membership_ended_at === undefined
          ? { ...row, membership_ended_at: now }
          : undefined,
      );
}
