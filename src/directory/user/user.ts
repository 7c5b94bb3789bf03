import { z } from 'zod';
import type { CollectionSpec } from '../../platform/collection.ts';

/** A person known by an access token; the row keeps what is said once (rule C.resources.organization-opt-in). */
export const User = z.object({
  /** Issuer and subject of the token, so that two issuers' users never mix. */
  user_id: z.string(),
  email: z.string(),
  /** Null until asked for; then recorded once. */
  marketing_opt_in: z.boolean().nullable(),
  created_at: z.string(),
  revision: z.number().int(),
});
export type User = z.infer<typeof User>;

export const users: CollectionSpec<User> = {
  name: 'users',
  key: 'user_id',
  schema: User,
  indexes: [{ name: 'email', fields: ['email'] }],
};
