import { z } from 'zod';
import type { ApiKey } from '../../directory/api-key/api-key.ts';
import { AskedExpiry } from '../../directory/api-key/expiry.ts';
import { OverlapDays } from '../../directory/api-key/reroll.ts';
import { SCOPES } from '../../directory/caller.ts';
import { emailsOf } from '../../directory/membership/members-of.ts';
import { membershipId, memberships } from '../../directory/membership/membership.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import type { Store } from '../../platform/store/collection.ts';
import { DisplayName } from '../create-organization/schema.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';

/** Strict: a misspelt end or scope would make a key that may more, or longer, than was meant. */
export const ApiKeyRequest = z.strictObject({
  name: DisplayName.describe('What people call the key'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'send at least one scope')
    .optional()
    .describe('Default: those that only read; ask for each that writes'),
  expires_at: AskedExpiry.optional().describe('When the key ends by itself; default: never'),
});

export const ApiKeyRerollRequest = z.strictObject({
  overlap_days: OverlapDays.describe('For how many days the former key goes on beside the new one, 0 to 30'),
  expires_at: AskedExpiry.optional().describe(
    'When the new key ends by itself; default: when the former one would have',
  ),
});

export const ApiKeyParams = OrganizationParams.extend({ keyId: z.string().min(1).max(100) });

/** A key as it can be shown at any time: never the key itself. */
export const ApiKeyView = z.object({
  id: z.string(),
  name: z.string(),
  key_hint: z.string().describe("The key's last four characters"),
  scopes: z.array(z.enum(SCOPES)),
  created_at: z.string(),
  last_used_at: z.string().nullable().describe('Accurate to a minute'),
  revoked_at: z.string().nullable(),
  expires_at: z.string().nullable().describe('When it ends by itself'),
  replaced_by: z.string().nullable().describe('The key that a reroll made in its place'),
  made_by: z
    .object({
      user_id: z.string(),
      email: z.string().nullable(),
      is_member: z.boolean().describe('False once they have left: the key stays, but who has a copy of it can use it'),
    })
    .nullable()
    .describe('The person who made it; null for one that no person made here, or that is older than this'),
});

export const ApiKeyCreated = ApiKeyView.extend({
  key: z.string().describe('The key. It is shown here and never again'),
});

export const ApiKeyRerolled = ApiKeyCreated.extend({
  former: ApiKeyView.describe('The key that it was made from, with its end'),
});

/** Keys of one organization as its owners see them, with their makers. */
export async function viewsOfKeys(
  store: Store,
  organization: Organization,
  rows: readonly ApiKey[],
): Promise<z.infer<typeof ApiKeyView>[]> {
  const { organization_id, owner_id } = organization;
  const makers = [...new Set(rows.flatMap(({ made_by }) => made_by ?? []))];
  const [emails, present] = await Promise.all([
    emailsOf(store, organization, makers),
    store.collection(memberships).getMany(makers.map((user_id) => membershipId(organization_id, user_id))),
  ]);
  const members = new Set([owner_id, ...present.map(({ user_id }) => user_id)]);
  return rows.map(({ made_by: user_id, ...row }) => {
    const {
      api_key_id: id,
      name,
      key_hint,
      scopes,
      created_at,
      last_used_at,
      revoked_at,
      expires_at,
      replaced_by = null,
    } = row;
    const view = { id, name, key_hint, scopes, created_at, last_used_at, revoked_at, expires_at, replaced_by };
    if (user_id === undefined) return { ...view, made_by: null };
    return { ...view, made_by: { user_id, email: emails.get(user_id) ?? null, is_member: members.has(user_id) } };
  });
}
