import type { Store } from '../../platform/store/collection.ts';
import { prefixRange } from '../../platform/store/prefix-range.ts';
import { brandNames, foldedName, hintsOf } from './brand-name.ts';
import { registryBrands } from './registry-brand.ts';
import type { RegistryBrand } from './registry-brand.ts';

/** Rows are read a few at a time: each has its history. */
const AT_ONCE = 25;
/** Hints looked at for one question. */
const MOST_HINTS = 200;

/** Brands by domain: of those that begin with `search`, behind `after`, without the first `offset`, at most `limit`. */
export async function listedBrands(
  store: Store,
  { search, after, offset, limit }: { search: string; after: string; offset: number; limit: number },
): Promise<RegistryBrand[]> {
  const found: RegistryBrand[] = [];
  const count = offset + limit;
  let seen = 0;
  let place = after;
  while (seen < count) {
    const { rows } = await store.collection(registryBrands).find({
      where: { is_listed: true, domain: prefixRange(search, place) },
      sort: { field: 'domain', direction: 'asc' },
      limit: Math.min(AT_ONCE, count - seen),
    });
    for (const row of rows) if (seen++ >= offset) found.push(row);
    place = rows.at(-1)?.domain ?? place;
    if (rows.length === 0) break;
  }
  return found;
}

/** How many brands there are whose domain begins so, counted no further than to `most`. */
export function countBrands(store: Store, search: string, most: number): Promise<number> {
  const where = { is_listed: true, domain: prefixRange(search) };
  return store.collection(registryBrands).count(where, { most });
}

/** Brands whose domain, or a name from one of its words on, begins so; those by name first, in the order of their names. */
export async function brandsNamed(store: Store, query: string, limit: number): Promise<RegistryBrand[]> {
  const asked = foldedName(query);
  if (asked === '') return [];
  const { rows: hints } = await store.collection(brandNames).find({
    where: { name: prefixRange(asked) },
    sort: { field: 'name', direction: 'asc' },
    limit: MOST_HINTS,
  });
  const found = new Map<string, RegistryBrand>();
  const domains = [...new Set(hints.map(({ domain }) => domain))];
  for (let i = 0; i < domains.length && found.size < limit; i += AT_ONCE) {
    const wanted = domains.slice(i, i + AT_ONCE);
    const rows = await store.collection(registryBrands).getMany(wanted, { skipUnreadable: true });
    const byDomain = new Map(rows.map((row) => [row.domain, row]));
    for (const domain of wanted) {
      const row = byDomain.get(domain);
      if (row?.is_listed === true && hasName(row, asked)) found.set(domain, row);
    }
  }
  if (found.size < limit)
    for (const row of await listedBrands(store, { search: asked, after: '', offset: 0, limit }))
      if (row.identity !== null) found.set(row.domain, row);
  return [...found.values()].slice(0, limit);
}

/** A hint may be of names that the brand has no more. */
function hasName({ identity }: RegistryBrand, asked: string): boolean {
  return [...hintsOf(identity?.names ?? [])].some((hint) => hint.startsWith(asked));
}
