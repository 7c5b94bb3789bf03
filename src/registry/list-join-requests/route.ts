import { z } from 'zod';
import { joinRequests } from '../../directory/join-request/join-request.ts';
import { requireOwner } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';
import { detailsOf, JoinRequestDetails, OrganizationParams } from '../request-to-join/schema.ts';

/** Newest first; a page of 100 at most (rule R8). */
export const listJoinRequests = endpoint({
  id: 'listJoinRequests',
  method: 'get',
  path: '/api/organizations/{orgId}/join-requests',
  tag: 'Organizations',
  summary: 'List who asked to join; for owners',
  access: 'required',
  effect: 'read',
  limit: 'list_join_requests',
  params: OrganizationParams,
  query: PageQuery,
  responses: {
    200: {
      description: 'A page, newest first; `cursor` is there exactly when there is more',
      schema: z.object({
        join_requests: z.array(JoinRequestDetails),
        has_more: z.boolean(),
        cursor: z.string().optional(),
      }),
    },
  },

  async handle({ params, query }, { store, caller }) {
    const { organization } = await requireOwner(store, caller, params.orgId);
    const { rows, cursor } = await store.collection(joinRequests).find({
      where: { organization_id: organization.organization_id },
      sort: { field: 'created_at', direction: 'desc' },
      limit: 100,
      ...(query.cursor !== undefined && { after: query.cursor }),
    });
    return {
      body: {
        join_requests: rows.map(detailsOf),
        has_more: cursor !== undefined,
        ...(cursor !== undefined && { cursor }),
      },
    };
  },
});
