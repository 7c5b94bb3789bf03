import { z } from 'zod';
import { MembershipRole } from '../../directory/membership/membership.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';

export const MemberParams = OrganizationParams.extend({ userId: z.string().min(1).max(100) });

export const MemberView = z.object({
  user_id: z.string(),
  email: z.string().nullable().describe('The verified address that they came with; null when nobody said'),
  role: MembershipRole,
  since: z.string().describe('When they joined, or became the owner'),
});

export const MemberPage = z.object({
  members: z.array(MemberView),
  has_more: z.boolean(),
  cursor: z.string().optional(),
});

export const RoleChange = z.object({ role: MembershipRole });

export const RoleView = z.object({ organization_id: z.string(), user_id: z.string(), role: MembershipRole });

/** `true` as it stands in a query. */
const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Strict: a misspelt wish to revoke would leave the keys. */
export const RemovalQuery = z.strictObject({
  revoke_api_keys: Flag.optional().describe('Revokes the API keys that they made, too; for owners'),
});

export const RemovedMember = z.object({
  organization_id: z.string(),
  user_id: z.string(),
  grants_ended: z.number().int().describe('What they had allowed applications for the organization'),
  api_keys_left: z
    .array(z.object({ id: z.string(), name: z.string(), key_hint: z.string() }))
    .describe(
      "API keys that they made and that still open: the organization's, but whoever has a copy of one can use it",
    ),
  api_keys_revoked: z.array(z.string()).describe('Their ids'),
});

export const TransferRequest = z.object({
  user_id: z.string().min(1).max(100).describe('A member; who becomes the owner in your place. You stay as an admin'),
});
