import type { Collection, Page, Where } from '../../platform/store/collection.ts';
import { MOST_COUNTED } from '../../runtime/list.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { ownLibrary, withoutHidden } from '../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';

/** A page is filled from at most so many pages of the store; what is left comes with the next. */
const MAX_ROUNDS = 20;
const BATCH = 1_000;

export interface SeenQuery {
  owner: LibraryOwner;
  where: Where<Creative>;
  /** Of those with one id, the account's own alone is seen. */
  hides: boolean;
}

/** A page of creatives, the newest first. */
export async function seenPage(
  creatives: Collection<Creative>,
  { owner, where, hides }: SeenQuery,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Pick<Page<Creative>, 'rows' | 'cursor'>> {
  const sort = { field: 'created_at', direction: 'desc' } as const;
  const rows: Creative[] = [];
  let after = cursor;
  for (let round = 0; round < MAX_ROUNDS && rows.length < limit; round++) {
    const page = await creatives.find({
      ...{ where, sort, limit: limit - rows.length },
      ...(after !== undefined && { after }),
    });
    rows.push(...(hides ? await withoutHidden(creatives, owner, page.rows) : page.rows));
    after = page.cursor;
    if (after === undefined) break;
  }
  return { rows, ...(after !== undefined && { cursor: after }) };
}

/** How many they are on all pages, counted as far as {@link MOST_COUNTED}, which stands for as many as are too many to look through, too. */
export async function seenCount(creatives: Collection<Creative>, { owner, where, hides }: SeenQuery): Promise<number> {
  const most = { most: MOST_COUNTED };
  const hasOwn = owner.account_id !== undefined && (await creatives.count(ownLibrary(owner), { most: 1 })) > 0;
  if (!hides || !hasOwn) return creatives.count(where, most);
  let total = await creatives.count({ ...where, ...ownLibrary(owner) }, most);
  const shared = { ...where, account_id: null };
  let after: string | undefined;
  for (let round = 0; round < MAX_ROUNDS && total < MOST_COUNTED; round++) {
    const sort = { field: 'created_at', direction: 'desc' } as const;
    const page = await creatives.find({ where: shared, sort, limit: BATCH, ...(after !== undefined && { after }) });
    total += (await withoutHidden(creatives, owner, page.rows)).length;
    after = page.cursor;
    if (after === undefined) return Math.min(total, MOST_COUNTED);
  }
  return MOST_COUNTED;
}
