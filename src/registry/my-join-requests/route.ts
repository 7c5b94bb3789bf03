import { z } from 'zod';
import { JoinRequestStatus, joinRequests } from '../../directory/join-request/join-request.ts';
import type { JoinRequest } from '../../directory/join-request/join-request.ts';
import { MembershipRole } from '../../directory/membership/membership.ts';
import { organizations } from '../../directory/organization/organization.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { requireUser } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';

/** What who asked may know: not who decided. */
const OwnJoinRequest = z.object({
  id: z.string(),
  organization_id: z.string(),
  organization_name: z.string().nullable(),
  status: JoinRequestStatus,
  role: MembershipRole.nullable().describe('The one given on approval; it may have changed since'),
  created_at: z.string(),
  decided_at: z.string().nullable().describe('When it was approved, rejected or withdrawn'),
});

/** Newest first; a page of 100 at most (rule R8.members). */
export const listMyJoinRequests = endpoint({
  id: 'listMyJoinRequests',
  method: 'get',
  path: '/api/me/join-requests',
  tag: 'Organizations',
  summary: 'List where you asked to join, and what became of it',
  access: 'required',
  effect: 'read',
  limit: 'own_memberships',
  query: PageQuery,
  responses: {
    200: {
      description: 'A page, newest first; `cursor` is there exactly when there is more',
      schema: z.object({
        join_requests: z.array(OwnJoinRequest),
        has_more: z.boolean(),
        cursor: z.string().optional(),
      }),
    },
  },

  async handle({ query }, { store, caller }) {
    const { user_id } = requireUser(caller);
    const { rows, cursor } = await store.collection(joinRequests).find({
      where: { user_id },
      sort: { field: 'created_at', direction: 'desc' },
      limit: 100,
      ...(query.cursor !== undefined && { after: query.cursor }),
    });
    const asked = await store.collection(organizations).getMany([...new Set(rows.map((row) => row.organization_id))]);
    const names = new Map(asked.map((row) => [row.organization_id, row.name]));
    return {
      body: {
        join_requests: rows.map((row) => ownView(row, names.get(row.organization_id))),
        has_more: cursor !== undefined,
        ...(cursor !== undefined && { cursor }),
      },
    };
  },
});

/** Withdrawing again answers the same (rule R8.members). */
export const withdrawJoinRequest = endpoint({
  id: 'withdrawJoinRequest',
  method: 'delete',
  path: '/api/me/join-requests/{requestId}',
  tag: 'Organizations',
  summary: 'Take a join request back while it is pending',
  access: 'required',
  effect: 'write',
  limit: 'withdraw_join_request',
  params: z.object({ requestId: z.string().min(1).max(100) }),
  responses: { 200: { description: 'You may ask again', schema: OwnJoinRequest } },

  async handle({ params }, { store, clock, caller }) {
    const { user_id } = requireUser(caller);
    const decided_at = toTimestamp(clock.now());
    const result = await store
      .collection(joinRequests)
      .update(params.requestId, (row) =>
        row.user_id === user_id && row.status === 'pending'
          ? { ...row, status: 'withdrawn', pending_for: null, decided_at, decided_by: user_id }
          : undefined,
      );
    if (result?.row.user_id !== user_id) throw new AppError('NOT_FOUND', 'no such join request');
    const { status, organization_id } = result.row;
    if (status !== 'withdrawn')
      throw new AppError(
        'CONFLICT',
        status === 'approved'
          ? `this request is approved already; to leave, DELETE /api/organizations/${organization_id}/members/${user_id}`
          : `this request is ${status} already`,
      );
    return { body: ownView(result.row, (await store.collection(organizations).get(organization_id))?.name) };
  },
});

function ownView(row: JoinRequest, organization_name = null as string | null): z.infer<typeof OwnJoinRequest> {
  const { join_request_id: id, organization_id, status, role, created_at, decided_at } = row;
  return { id, organization_id, organization_name, status, role, created_at, decided_at };
}
