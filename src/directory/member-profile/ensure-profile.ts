import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { Organization } from '../organization/organization.ts';
import { memberProfiles, slugOf } from './member-profile.ts';

/** Gives an organization a private profile if it has none; answers whether this call made it. Safe to race. */
export async function ensureProfile(
  { store, clock }: { store: Store; clock: Clock },
  { organization_id, name }: Pick<Organization, 'organization_id' | 'name'>,
): Promise<boolean> {
  const rows = store.collection(memberProfiles);
  if (await rows.get(organization_id)) return false;
  const base = slugOf(name);
  for (let n = 1; ; n++) {
    const result = await rows.insert({
      organization_id,
      slug: n === 1 ? base : `${base}-${n}`,
      display_name: name,
      is_public: false,
      created_at: toTimestamp(clock.now()),
      revision: 1,
    });
    if (result.inserted) return true;
    if (result.duplicate !== 'slug') return false;
  }
}
