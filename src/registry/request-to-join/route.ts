import { joinRequests } from '../../directory/join-request/join-request.ts';
import type { JoinRequest } from '../../directory/join-request/join-request.ts';
import { roleIn } from '../../directory/membership/organizations-of-user.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { requireUser } from '../auth/caller.ts';
import { knownOrganization } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import { detailsOf, JoinRequestView, OrganizationParams } from './schema.ts';

/** Asks the owners of an organization (rules C.endpoints.join-requests, R8). */
export const requestToJoin = endpoint({
  id: 'requestToJoin',
  method: 'post',
  path: '/api/organizations/{orgId}/join-requests',
  tag: 'Organizations',
  summary: 'Ask to join an organization',
  access: 'required',
  effect: 'write',
  limit: 'request_to_join',
  params: OrganizationParams,
  responses: { 201: { description: 'Its owners will decide', schema: JoinRequestView } },

  async handle({ params }, { store, clock, ids, caller, budgets }) {
    const user = requireUser(caller);
    if (user.email === null)
      throw new AppError(
        'FORBIDDEN',
        'asking to join needs a verified e-mail address, so that the owners know who asks',
      );
    const organization = await knownOrganization(store, params.orgId, user);
    if (organization.is_personal) throw new AppError('FORBIDDEN', 'nobody can join a personal workspace');
    if (organization.state === 'prospect')
      throw new AppError(
        'CONFLICT',
        'nobody owns this organization yet; claim it by your e-mail: POST /api/organizations, or by its domain: ' +
          `POST /api/organizations/${organization.organization_id}/claims`,
      );
    if ((await roleIn(store, organization, user.user_id)) !== undefined)
      throw new AppError('CONFLICT', 'you belong to this organization already');

    const row: JoinRequest = {
      join_request_id: `join_${ids.newId()}`,
      organization_id: organization.organization_id,
      user_id: user.user_id,
      email: user.email,
      status: 'pending',
      pending_for: `${organization.organization_id}/${user.user_id}`,
      role: null,
      created_at: toTimestamp(clock.now()),
      decided_at: null,
      decided_by: null,
      revision: 1,
    };
    const { giveBack } = await budgets.take('join_requests', user.user_id);
    if (!(await store.collection(joinRequests).insert(row)).inserted) {
      await giveBack();
      throw new AppError('CONFLICT', 'you have asked already, and the owners have not decided yet');
    }
    return { status: 201, body: detailsOf(row) };
  },
});
