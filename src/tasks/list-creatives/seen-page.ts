import type { Collection, Page, Query, Where } from '../../platform/store/collection.ts';
import { MOST_COUNTED } from '../../runtime/list.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { ownLibrary, withoutHidden } from '../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';
import type { Passes } from './passes.ts';

/** A page is filled from at most so many pages of the store; what is left comes with the next. */
const MAX_ROUNDS = 40;
/** Of what is looked at one by one. */
const BATCH = 250;

/** Which creatives, and in which order. */
export interface SeenQuery {
  owner: LibraryOwner;
  where: Where<Creative>;
  sort: NonNullable<Query<Creative>['sort']>;
  /** Of those with one id, the account's own alone is seen. */
  hides: boolean;
  /** What each must meet besides; undefined: nothing. */
  passes: Passes | undefined;
}

/** A page of creatives. */
export async function seenPage(
  creatives: Collection<Creative>,
  query: SeenQuery,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Pick<Page<Creative>, 'rows' | 'cursor'>> {
  const { where, sort, passes } = query;
  const rows: Creative[] = [];
  let after = cursor;
  for (let round = 0; round < MAX_ROUNDS && rows.length < limit; round++) {
    const wanted = limit - rows.length;
    const read = async (size: number) => {
      const page = await creatives.find({ where, sort, limit: size, ...(after !== undefined && { after }) });
      return { page, seen: await seenOf(creatives, query, page.rows) };
    };
    let { page, seen } = await read(passes === undefined ? wanted : BATCH);
    // A cursor is behind the last row of a page of the store, so that must be the last one wanted.
    while (seen.length > wanted) {
      const last = seen[wanted - 1];
      ({ page, seen } = await read(page.rows.findIndex((row) => row === last) + 1));
    }
    rows.push(...seen);
    after = page.cursor;
    if (after === undefined) break;
  }
  return { rows, ...(after !== undefined && { cursor: after }) };
}

/** How many they are on all pages, counted as far as {@link MOST_COUNTED}, which stands for as many as are too many to look through, too. */
export async function seenCount(creatives: Collection<Creative>, query: SeenQuery): Promise<number> {
  const { owner, where, sort, hides, passes } = query;
  const most = { most: MOST_COUNTED };
  const hasOwn = owner.account_id !== undefined && (await creatives.count(ownLibrary(owner), { most: 1 })) > 0;
  const isHiding = hides && hasOwn;
  if (!isHiding && passes === undefined) return creatives.count(where, most);
  // Without more to meet, only shared ones have to be looked at.
  const isOwnCounted = passes === undefined;
  let total = isOwnCounted ? await creatives.count({ ...where, ...ownLibrary(owner) }, most) : 0;
  const walked = isOwnCounted ? { ...where, account_id: null } : where;
  let after: string | undefined;
  for (let round = 0; round < MAX_ROUNDS && total < MOST_COUNTED; round++) {
    const page = await creatives.find({ where: walked, sort, limit: BATCH, ...(after !== undefined && { after }) });
    total += (await seenOf(creatives, query, page.rows)).length;
    after = page.cursor;
    if (after === undefined) return Math.min(total, MOST_COUNTED);
  }
  return MOST_COUNTED;
}

/** Those of the rows that are seen. */
async function seenOf(
  creatives: Collection<Creative>,
  { owner, hides, passes }: SeenQuery,
  rows: readonly Creative[],
): Promise<Creative[]> {
  const met = passes === undefined ? [...rows] : rows.filter(passes);
  return hides ? withoutHidden(creatives, owner, met) : met;
}
