import { z } from 'zod';
import { SCOPES } from '../../directory/caller.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/**
 * What one person allowed one application: the code it was answered, and the family of refresh tokens that came of it,
 * are this one row, so that each use of either is one compare-and-swap.
 */
export const Grant = z.object({
  grant_id: z.string(),
  client_id: z.string(),
  /** As the authorization request had it. */
  redirect_uri: z.string(),
  /** Base64url of the SHA-256 of the verifier (RFC 7636). */
  code_challenge: z.string(),
  /** Who allowed it; the address as it was then. */
  subject: z.string(),
  email: z.string(),
  auth_time: z.number().int(),
  /** The resource's identifier. */
  resource: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** For which of the person's organizations; null where none acts. */
  organization_id: OrganizationId.nullable(),
  created_at: z.string(),
  code_expires_at: z.string(),
  /** When the code was used; null before. */
  exchanged_at: z.string().nullable(),
  /** The number of the one refresh token that is good; 0 before the code is used. */
  refresh_number: z.number().int(),
  refresh_expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  revoked_because: z
    .enum(['code_reused', 'refresh_token_reused', 'revoked_by_client', 'revoked_by_operator', 'membership_ended'])
    .nullable(),
  expires_at: z.string(),
  revision: z.number().int(),
});
export type Grant = z.infer<typeof Grant>;

export const grants: CollectionSpec<Grant> = {
  name: 'oauth_grants',
  key: 'grant_id',
  schema: Grant,
  indexes: [
    { name: 'created', fields: ['created_at'] },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
    { name: 'subject', fields: ['subject', 'created_at'] },
  ],
  expires: 'expires_at',
};
