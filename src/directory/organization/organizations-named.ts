import type { Store } from '../../platform/store/collection.ts';
import { prefixRange } from '../../platform/store/prefix-range.ts';
import { organizations } from './organization.ts';
import type { Organization } from './organization.ts';

/** Organizations whose name begins so, as it was written or with a capital first: by the index of names, so many of each at most. */
export async function organizationsNamed(store: Store, beginning: string, most: number): Promise<Organization[]> {
  const pages = await Promise.all(
    spellingsOf(beginning).map((one) =>
      store.collection(organizations).find({ where: { name: prefixRange(one) }, limit: most }),
    ),
  );
  return pages.flatMap(({ rows }) => rows);
}

/** A name as it was written, and with a capital first. Pure. */
export function spellingsOf(name: string): string[] {
  return [...new Set([name, name.charAt(0).toUpperCase() + name.slice(1)])];
}
