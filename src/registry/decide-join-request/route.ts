import { z } from 'zod';
import { approveJoining, rejectJoining } from '../../directory/join-request/decide.ts';
import type { Deciding } from '../../directory/join-request/decide.ts';
import { joinRequests } from '../../directory/join-request/join-request.ts';
import { MembershipRole, memberships } from '../../directory/membership/membership.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
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
    const row = await approveJoining(call, await admitMember(call, params), body.role);
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
    return { body: detailsOf(await rejectJoining(call, await decidingBy(call, params))) };
  },
});

/** @throws {AppError} `RATE_LIMITED` for one member more than there may be, and what `requireOwner` refuses. */
async function admitMember(call: EndpointCall, params: z.infer<typeof JoinRequestParams>): Promise<Deciding> {
  const { store, budgets } = call;
  const deciding = await decidingBy(call, params);
  const { organization_id } = deciding;
  const asked = await store.collection(joinRequests).get(params.requestId);
  if (asked?.status === 'pending' && asked.organization_id === organization_id)
    budgets.checkRows('members', await store.collection(memberships).count({ organization_id }));
  return deciding;
}

/** An owner, about their own organization. @throws {AppError} as `requireOwner` does. */
async function decidingBy(
  { store, caller }: EndpointCall,
  { orgId, requestId }: z.infer<typeof JoinRequestParams>,
): Promise<Deciding & { organization_id: OrganizationId }> {
  const { organization, user } = await requireOwner(store, caller, orgId);
  return { join_request_id: requestId, organization_id: organization.organization_id, decided_by: user.user_id };
}
