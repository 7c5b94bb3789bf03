import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** How a member shows itself in the registry. One for each organization. */
export const MemberProfile = z.object({
  organization_id: OrganizationId,
  slug: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  display_name: z.string().max(400),
  /** Whether the member card shows tier and founding membership (rule C.resources.operator). */
  is_public: z.boolean(),
  created_at: z.string(),
  revision: z.number().int(),
});
export type MemberProfile = z.infer<typeof MemberProfile>;

export const memberProfiles: CollectionSpec<MemberProfile> = {
  name: 'member_profiles',
  key: 'organization_id',
  schema: MemberProfile,
  tells: [],
  indexes: [{ name: 'slug', fields: ['slug'], unique: true }],
};

/** A slug from a name: letters and digits of ASCII, words joined by `-`; `member` when nothing is left. */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words?.join('-').slice(0, 60).replace(/-$/, '') ?? 'member';
}
