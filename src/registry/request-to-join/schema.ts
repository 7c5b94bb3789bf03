import { z } from 'zod';
import type { JoinRequest } from '../../directory/join-request/join-request.ts';
import { JoinRequestStatus } from '../../directory/join-request/join-request.ts';
import { MembershipRole } from '../../directory/membership/membership.ts';

export const OrganizationParams = z.object({ orgId: z.string().min(1).max(100) });

export const JoinRequestParams = OrganizationParams.extend({ requestId: z.string().min(1).max(100) });

/** A join request as it is answered to who asked (rule R8). */
export const JoinRequestView = z.object({
  id: z.string(),
  organization_id: z.string(),
  status: JoinRequestStatus,
  created_at: z.string(),
});

/** And as it is answered to an owner. */
export const JoinRequestDetails = JoinRequestView.extend({
  user_id: z.string(),
  email: z.string(),
  role: MembershipRole.nullable(),
  decided_at: z.string().nullable(),
});
export type JoinRequestDetails = z.infer<typeof JoinRequestDetails>;

export function detailsOf(row: JoinRequest): JoinRequestDetails {
  const { join_request_id: id, organization_id, status, created_at, user_id, email, role, decided_at } = row;
  return { id, organization_id, status, created_at, user_id, email, role, decided_at };
}
