import { z } from 'zod';
import { approveJoining, rejectJoining } from '../../../directory/join-request/decide.ts';
import { JoinRequest, joinRequests } from '../../../directory/join-request/join-request.ts';
import { MembershipRole } from '../../../directory/membership/membership.ts';
import { organizations } from '../../../directory/organization/organization.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Store } from '../../../platform/store/collection.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { knownBuyer } from '../buyers/operations.ts';
import { BuyerAsked, Id, pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';

/** Somebody who asked to join an organization. */
export const JoinRequestLine = z
  .object(JoinRequest.shape)
  .pick({ join_request_id: true, organization_id: true, user_id: true, email: true, status: true, role: true })
  .extend({
    organization_name: z.string().optional(),
    /** Nobody owns the organization: only the seller can let anybody in. */
    has_owner: z.boolean(),
    created_at: z.string(),
    decided_at: z.string().nullable(),
  });
export type JoinRequestLine = z.infer<typeof JoinRequestLine>;

/** Those that wait, the longest first; or all of one organization, the newest first. */
export const listRegistryJoinRequests = operation({
  method: 'get',
  path: '/registry/join-requests',
  summary: 'List who waits to join an organization, or all who ever asked to join one.',
  role: 'viewer',
  query: z.strictObject({ organization_id: BuyerAsked.optional(), ...pageQuery }),
  answer: z.object({ join_requests: z.array(JoinRequestLine), ...pageView }),
  async handle({ query: { organization_id, limit, cursor } }, { store }) {
    if (organization_id !== undefined) await knownBuyer(store, organization_id);
    const page = await store.collection(joinRequests).find({
      ...(organization_id === undefined
        ? { where: { status: 'pending' }, sort: { field: 'created_at', direction: 'asc' } }
        : { where: { organization_id }, sort: { field: 'created_at', direction: 'desc' } }),
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { join_requests: await linesOf(store, page.rows), ...pageEnd(page.cursor) };
  },
});

const JoinRequestPath = z.strictObject({ join_request_id: Id });

/** For an organization whose owners cannot be reached, or that has none. */
export const approveRegistryJoinRequest = operation({
  method: 'post',
  path: '/registry/join-requests/:join_request_id/approve',
  summary: 'Let somebody join the organization that they asked for, in place of its owners.',
  role: 'admin',
  action: 'registry.approve_join',
  done: ({ email }) => `${email} has joined.`,
  params: JoinRequestPath,
  body: z.strictObject({
    role: MembershipRole,
    /** For the record; nobody else is told. */
    reason: Words,
  }),
  answer: JoinRequestLine,
  async handle({ params: { join_request_id }, body: { role } }, call) {
    await assertTheirs(call.store, join_request_id);
    const row = await approveJoining(call, { join_request_id, decided_by: `operator:${call.by}` }, role);
    return lineOf(call.store, row);
  },
});

export const rejectRegistryJoinRequest = operation({
  method: 'post',
  path: '/registry/join-requests/:join_request_id/reject',
  summary: 'Turn somebody away who asked to join an organization, in place of its owners; they may ask again.',
  role: 'admin',
  action: 'registry.reject_join',
  done: ({ email }) => `${email} is turned away.`,
  params: JoinRequestPath,
  body: z.strictObject({
    /** For the record; nobody else is told. */
    reason: Words,
  }),
  answer: JoinRequestLine,
  async handle({ params: { join_request_id } }, call) {
    const row = await rejectJoining(call, { join_request_id, decided_by: `operator:${call.by}` });
    return lineOf(call.store, row);
  },
});

/** @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for a personal workspace, which is nobody's but its owner's. */
async function assertTheirs(store: Store, join_request_id: string): Promise<void> {
  const asked = await store.collection(joinRequests).get(join_request_id);
  if (asked === undefined) throw new AppError('NOT_FOUND', 'no such join request', { field: 'join_request_id' });
  const organization = await store.collection(organizations).get(asked.organization_id);
  if (organization === undefined || organization.is_personal)
    throw new AppError('INVALID_STATE', 'nobody is let in to a personal workspace but by its owner', {
      field: 'join_request_id',
    });
}

async function lineOf(store: Store, row: JoinRequest): Promise<JoinRequestLine> {
  const [line] = await linesOf(store, [row]);
  if (line === undefined) throw new Error('one row makes one line');
  return line;
}

async function linesOf(store: Store, rows: readonly JoinRequest[]): Promise<JoinRequestLine[]> {
  const ids = [...new Set(rows.map(({ organization_id }) => organization_id))];
  const found = await store.collection(organizations).getMany(ids, { skipUnreadable: true });
  const byId = new Map(found.map((organization) => [organization.organization_id, organization]));
  return rows.map(({ join_request_id, organization_id, user_id, email, status, role, created_at, decided_at }) => {
    const organization = byId.get(organization_id);
    return {
      ...{ join_request_id, organization_id, user_id, email, status, role, created_at, decided_at },
      ...(organization !== undefined && { organization_name: organization.name }),
      has_owner: (organization?.owner_id ?? null) !== null,
    };
  });
}
