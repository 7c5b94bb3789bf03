import { z } from 'zod';
import type { ApiKey } from '../../directory/api-key/api-key.ts';
import { AskedExpiry } from '../../directory/api-key/expiry.ts';
import { SCOPES } from '../../directory/caller.ts';
import { DisplayName } from '../create-organization/schema.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';

export const ApiKeyRequest = z.object({
  name: DisplayName.describe('What people call the key'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'send at least one scope')
    .optional()
    .describe('Default: those that only read; ask for each that writes'),
  expires_at: AskedExpiry.optional().describe('When the key ends by itself; default: never'),
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
});

export const ApiKeyCreated = ApiKeyView.extend({
  key: z.string().describe('The key. It is shown here and never again'),
});

export function viewOfKey(row: ApiKey): z.infer<typeof ApiKeyView> {
  const { api_key_id: id, name, key_hint, scopes, created_at, last_used_at, revoked_at, expires_at } = row;
  return { id, name, key_hint, scopes, created_at, last_used_at, revoked_at, expires_at };
}
