import { z } from 'zod';
import { joinRequests } from '../../directory/join-request/join-request.ts';
import type { JoinRequest } from '../../directory/join-request/join-request.ts';
import { undoLateAdmission } from '../../directory/membership/end-membership.ts';
import { membershipId, MembershipRole, memberships } from '../../directory/membership/membership.ts';
import { recordUser } from '../../directory/user/user.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { requireOwner } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { detailsOf, JoinRequestDetails, JoinRequestParams } from '../request-to-join/schema.ts';

const DECIDE_LIMIT = 'decide_join_request';

/** Approving again, after a crash in between perhaps, ends in the same membership (rule R8). */
export const approveJoinRequest = endpoint({
  id: 'approveJoinRequest',
  method: 'post',
  path: '/api/organizations/{orgId}/join-requests/{requestId}/approve',
  tag: 'Organizations',
  summary: 'Let somebody join; for owners',
  access: 'required',
  effect: 'write',
  limit: DECIDE_LIMIT,
  params: JoinRequestParams,
  body: z.object({ role: MembershipRole }),
  responses: { 200: { description: 'They belong to the organization now', schema: JoinRequestDetails } },

  async handle({ params, body }, call) {
    await admitMember(call, params);
    const row = await decide(call, params, { status: 'approved', role: body.role });
    const { organization_id, user_id, email } = row;
    if (row.membership_ended_at !== undefined) throw leftSince();
    const { inserted } = await call.store.collection(memberships).insert({
      membership_id: membershipId(organization_id, user_id),
      organization_id,
      user_id,
      role: row.role ?? body.role,
      created_at: toTimestamp(call.clock.now()),
      revision: 1,
    });
    if (inserted) await refuseIfLeft(call, row);
    await recordUser(call, { user_id, email }, undefined);
    return { body: detailsOf(row) };
  },
});

/** Rejecting again answers the same (rule R8). */
export const rejectJoinRequest = endpoint({
  id: 'rejectJoinRequest',
  method: 'post',
  path: '/api/organizations/{orgId}/join-requests/{requestId}/reject',
  tag: 'Organizations',
  summary: 'Turn somebody away; for owners',
  access: 'required',
  effect: 'write',
  limit: DECIDE_LIMIT,
  params: JoinRequestParams,
  responses: { 200: { description: 'They may ask again', schema: JoinRequestDetails } },

  async handle({ params }, call) {
    return { body: detailsOf(await decide(call, params, { status: 'rejected', role: null })) };
  },
});

/** An approval that is sent twice may come after the end of the membership that the first one began. */
async function refuseIfLeft({ store }: EndpointCall, { join_request_id, ...member }: JoinRequest): Promise<void> {
  const now = await store.collection(joinRequests).get(join_request_id);
  if (now?.membership_ended_at === undefined) return;
  await undoLateAdmission(store, member);
  throw leftSince();
}

function leftSince(): AppError {
  return new AppError('CONFLICT', 'they have left the organization since; they may ask again');
}

/** @throws {AppError} `RATE_LIMITED` for one member more than there may be, and what `requireOwner` refuses. */
async function admitMember(
  { store, caller, budgets }: EndpointCall,
  { orgId, requestId }: z.infer<typeof JoinRequestParams>,
): Promise<void> {
  const { organization_id } = (await requireOwner(store, caller, orgId)).organization;
  const asked = await store.collection(joinRequests).get(requestId);
  if (asked?.status !== 'pending' || asked.organization_id !== organization_id) return;
  budgets.checkRows('members', await store.collection(memberships).count({ organization_id }));
}

/**
 * Decides once: the first decision stands, and the same one again answers it.
 * @throws {AppError} `NOT_FOUND`, `FORBIDDEN`, or `CONFLICT` for another decision than the one that stands.
 */
async function decide(
  { store, clock, caller }: EndpointCall,
  { orgId, requestId }: z.infer<typeof JoinRequestParams>,
  decision: Pick<JoinRequest, 'status' | 'role'>,
): Promise<JoinRequest> {
  const { organization, user } = await requireOwner(store, caller, orgId);
  const rows = store.collection(joinRequests);
  const asked = await rows.get(requestId);
  if (asked?.organization_id !== organization.organization_id) throw new AppError('NOT_FOUND', 'no such join request');
  const decided_at = toTimestamp(clock.now());
  const result = await rows.update(requestId, (row) =>
    row.status === 'pending'
      ? { ...row, ...decision, pending_for: null, decided_at, decided_by: user.user_id }
      : undefined,
  );
  if (!result) throw new AppError('NOT_FOUND', 'no such join request');
  if (result.row.status !== decision.status || result.row.role !== decision.role)
    throw new AppError('CONFLICT', decidedAlready(result.row));
  return result.row;
}

function decidedAlready({ status, organization_id, user_id }: JoinRequest): string {
  const member = `/api/organizations/${organization_id}/members/${user_id}`;
  const hint =
    status === 'approved' ? `; to give them another role, PATCH ${member}, and to remove them, DELETE it` : '';
  return `this request is ${status} already${hint}`;
}
