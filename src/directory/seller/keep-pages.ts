import { eachAtOnce } from '../../platform/each-at-once.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store, Where } from '../../platform/store/collection.ts';
import { isAbandoned } from '../publisher/property-list.ts';
import { sellerPageId, sellerPages } from './seller-page.ts';
import type { SellerPage } from './seller-page.ts';

interface PageDeps {
  store: Store;
  nowMs: number;
}

/** Pages written in one go: each is judged by its schema then, and nobody is to wait for many. */
const WRITTEN_AT_ONCE = 10;
const DELETED_AT_ONCE = 20;

/** Writes the pages of a list that a row is about to name, under an id that nobody else has. */
export async function keepPages(
  { store, nowMs }: PageDeps,
  { file_id, list_id }: Pick<SellerPage, 'file_id' | 'list_id'>,
  pages: readonly Pick<SellerPage, 'records' | 'sellers'>[],
): Promise<void> {
  const created_at = toTimestamp(nowMs);
  for (let i = 0; i < pages.length; i += WRITTEN_AT_ONCE) {
    const rows = pages.slice(i, i + WRITTEN_AT_ONCE).map((page, k) => ({
      ...{ page_id: sellerPageId(list_id, i + k), file_id, list_id, number: i + k, ...page, created_at, revision: 1 },
    }));
    await store.collection(sellerPages).insertMany(rows);
    await new Promise(setImmediate);
  }
}

/**
 * Removes what is not of the list that its row names now (null: of any): the list that it named before, and what a process wrote that
 * died before a row named it. One that another process is writing stays.
 */
export async function dropOtherPages(
  { store, nowMs }: PageDeps,
  file_id: string,
  { named, replaced }: { named: string | null; replaced: string | null },
): Promise<void> {
  const rows = store.collection(sellerPages);
  // Each with a bound on the list's id, whose order the index has.
  const others: Where<SellerPage>[] = (named === null ? [{ gt: '' }] : [{ lt: named }, { gt: named }]).map(
    (list_id) => ({ file_id, list_id }),
  );
  const gone: string[] = [];
  for (const where of others)
    for await (const page of allRows(rows, { where, limit: 10 }))
      if (page.list_id === replaced || isAbandoned(page, nowMs)) gone.push(page.page_id);
  await eachAtOnce(gone, DELETED_AT_ONCE, async (page) => {
    await rows.delete(page);
  });
}
