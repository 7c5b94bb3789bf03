import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';

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

/**
 * Notes that a person was here. `marketingOptIn` is recorded the first time it is given and never overwritten
 * (rule C.resources.organization-opt-in).
 */
export async function recordUser(
  { store, clock }: { store: Store; clock: Clock },
  user: { user_id: string; email: string | null },
  marketingOptIn: boolean | undefined,
): Promise<void> {
  const rows = store.collection(users);
  const given = marketingOptIn ?? null;
  const { inserted } = await rows.insert({
    user_id: user.user_id,
    email: user.email ?? '',
    marketing_opt_in: given,
    created_at: toTimestamp(clock.now()),
    revision: 1,
  });
  if (inserted || given === null) return;
  await rows.update(user.user_id, (row) =>
    row.marketing_opt_in === null ? { ...row, marketing_opt_in: given } : undefined,
  );
}
