import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../platform/collection.ts';
import { users } from './user.ts';

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
