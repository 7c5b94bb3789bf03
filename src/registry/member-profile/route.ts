import { z } from 'zod';
import { ensureProfile } from '../../directory/member-profile/ensure-profile.ts';
import { memberProfiles } from '../../directory/member-profile/member-profile.ts';
import type { MemberProfile } from '../../directory/member-profile/member-profile.ts';
import { AppError } from '../../platform/errors.ts';
import { managedOrganization } from '../auth/managed-organizations.ts';
import { DisplayName } from '../create-organization/schema.ts';
import { endpoint } from '../endpoint.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';

const LIMIT = 'member_profile';

const ProfileView = z.object({
  organization_id: z.string(),
  slug: z.string(),
  display_name: z.string(),
  is_public: z.boolean().describe('Whether operator look-ups show tier and founding membership'),
});

const ProfileChange = z.strictObject({
  display_name: DisplayName.optional(),
  is_public: z.boolean().optional().describe('Show tier and founding membership in operator look-ups'),
});

/** The member card as its owner sees it (rule C.resources.operator). */
export const getProfile = endpoint({
  id: 'getProfile',
  method: 'get',
  path: '/api/organizations/{orgId}/profile',
  tag: 'Organizations',
  summary: "Read one's own member profile",
  access: 'required',
  effect: 'read',
  limit: LIMIT,
  params: OrganizationParams,
  responses: { 200: { description: 'The profile', schema: ProfileView } },

  async handle({ params }, { store, caller }) {
    const { organization_id } = await managedOrganization(store, caller, params.orgId);
    const profile = await store.collection(memberProfiles).get(organization_id);
    if (!profile) throw new AppError('NOT_FOUND', 'there is no profile yet; change it, and it is made');
    return { body: viewOfProfile(profile) };
  },
});

/** The owner makes the member card public or private (rule C.resources.operator). */
export const changeProfile = endpoint({
  id: 'changeProfile',
  method: 'patch',
  path: '/api/organizations/{orgId}/profile',
  tag: 'Organizations',
  summary: "Change one's own member profile, or make it public",
  description: 'Makes a private profile first when there is none.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: OrganizationParams,
  body: ProfileChange,
  responses: { 200: { description: 'As it is now', schema: ProfileView } },

  async handle({ params, body }, call) {
    const organization = await managedOrganization(call.store, call.caller, params.orgId);
    await ensureProfile(call, organization);
    const result = await call.store.collection(memberProfiles).update(organization.organization_id, (row) => ({
      ...row,
      display_name: body.display_name ?? row.display_name,
      is_public: body.is_public ?? row.is_public,
    }));
    if (!result) throw new AppError('NOT_FOUND', 'no such profile');
    return { body: viewOfProfile(result.row) };
  },
});

function viewOfProfile(profile: MemberProfile): z.infer<typeof ProfileView> {
  const { organization_id, slug, display_name, is_public } = profile;
  return { organization_id, slug, display_name, is_public };
}
