import { apiKeys, unrevokedKeysOf, revokeApiKey } from '../../directory/api-key/api-key.ts';
import type { ApiKey } from '../../directory/api-key/api-key.ts';
import { endOf } from '../../directory/api-key/good-key.ts';
import { changeMemberRole, transferOwnership } from '../../directory/membership/change-role.ts';
import { endMembership } from '../../directory/membership/end-membership.ts';
import { membersOf } from '../../directory/membership/members-of.ts';
import { AppError } from '../../platform/errors.ts';
import { requireMember, requireOwner } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';
import {
  MemberPage,
  MemberParams,
  RemovalQuery,
  RemovedMember,
  RoleChange,
  RoleView,
  TransferRequest,
} from './schema.ts';

const LIMIT = 'change_members';

/** The oldest membership first; a page of 100 at most (rule R8.members). */
export const listMembers = endpoint({
  id: 'listMembers',
  method: 'get',
  path: '/api/organizations/{orgId}/members',
  tag: 'Organizations',
  summary: 'List who belongs to the organization; for its members',
  access: 'required',
  effect: 'read',
  limit: 'read_members',
  params: OrganizationParams,
  query: PageQuery,
  responses: {
    200: {
      description: 'A page, the oldest membership first; `cursor` is there exactly when there is more',
      schema: MemberPage,
    },
  },

  async handle({ params, query }, { store, caller }) {
    const { organization } = await requireMember(store, caller, params.orgId);
    const { members, cursor } = await membersOf(store, organization, { limit: 100, after: query.cursor });
    return { body: { members, has_more: cursor !== undefined, ...(cursor !== undefined && { cursor }) } };
  },
});

/** Again changes nothing (rule R8.members). */
export const changeMember = endpoint({
  id: 'changeMember',
  method: 'patch',
  path: '/api/organizations/{orgId}/members/{userId}',
  tag: 'Organizations',
  summary: 'Give a member another role; for owners',
  description: 'There may be several owners; the only one cannot be lowered (409): transfer the organization first.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: MemberParams,
  body: RoleChange,
  responses: { 200: { description: 'As it is now', schema: RoleView } },

  async handle({ params, body: { role } }, call) {
    const { organization, user } = await requireOwner(call.store, call.caller, params.orgId);
    const { organization_id } = organization;
    await changeMemberRole(call, { organization_id, user_id: params.userId, by: user.user_id }, role);
    return { body: { organization_id, user_id: params.userId, role } };
  },
});

/** What a member is refused to do to another, whoever that is, says nothing of who is there (rule T5). */
export const removeMember = endpoint({
  id: 'removeMember',
  method: 'delete',
  path: '/api/organizations/{orgId}/members/{userId}',
  tag: 'Organizations',
  summary: 'Leave the organization; owners remove anybody',
  description:
    'At once nothing of the organization opens to them any more, and what they allowed applications for it ends. API keys that they made stay, and are named in the answer. The only owner can neither leave nor be removed (409): transfer the organization first.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: MemberParams,
  query: RemovalQuery,
  responses: { 200: { description: 'They belong to it no more', schema: RemovedMember } },

  async handle({ params, query }, call) {
    const { organization, user, role } = await requireMember(call.store, call.caller, params.orgId);
    const { organization_id } = organization;
    if (role !== 'owner' && params.userId !== user.user_id)
      throw new AppError('FORBIDDEN', 'only an owner of the organization may remove others');
    if (role !== 'owner' && query.revoke_api_keys === true)
      throw new AppError('FORBIDDEN', 'only an owner of the organization may revoke its API keys', {
        field: 'revoke_api_keys',
      });
    const grants_ended = await endMembership(call, { organization_id, user_id: params.userId, by: user.user_id });
    const made = await livingKeysOf(call, organization, params.userId);
    const keys = call.store.collection(apiKeys);
    const revoked = query.revoke_api_keys === true ? made : [];
    for (const { api_key_id } of revoked) await revokeApiKey({ ...call, keys }, organization_id, api_key_id);
    return {
      body: {
        ...{ organization_id, user_id: params.userId, grants_ended },
        api_keys_left: made
          .filter((key) => !revoked.includes(key))
          .map(({ api_key_id: id, name, key_hint }) => ({ id, name, key_hint })),
        api_keys_revoked: revoked.map(({ api_key_id }) => api_key_id),
      },
    };
  },
});

async function livingKeysOf(
  { store, clock }: EndpointCall,
  { organization_id }: Pick<ApiKey, 'organization_id'>,
  made_by: string,
): Promise<ApiKey[]> {
  const living: ApiKey[] = [];
  for await (const key of unrevokedKeysOf(store.collection(apiKeys), { organization_id, made_by }))
    if (clock.now() < endOf(key)) living.push(key);
  return living;
}

/** One write decides (rule R8.members). */
export const transferOrganization = endpoint({
  id: 'transferOrganization',
  method: 'post',
  path: '/api/organizations/{orgId}/transfer',
  tag: 'Organizations',
  summary: 'Make a member the owner in your place; for owners',
  description: 'You stay as an admin. Other owners stay owners.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: OrganizationParams,
  body: TransferRequest,
  responses: { 200: { description: 'Who owns it now', schema: RoleView } },

  async handle({ params, body: { user_id } }, call) {
    const { organization, user } = await requireOwner(call.store, call.caller, params.orgId);
    const { organization_id } = organization;
    await transferOwnership(call, { organization_id, user_id, by: user.user_id });
    return { body: { organization_id, user_id, role: 'owner' } };
  },
});
