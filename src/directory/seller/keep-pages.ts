import { eachAtOnce } from '../../platform/each-at-once.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
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
const LOOKED_AT = 10;

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
 * Removes the list that a row named before (`replaced`), and what a process wrote that died before a row named it: never of the list that
 * the row names now (null: none), nor what another process is writing.
 */
export async function dropOtherPages(
  { store, nowMs }: PageDeps,
  file_id: string,
  { named, replaced }: { named: string | null; replaced: { list_id: string; pages: number } | null },
): Promise<void> {
  const rows = store.collection(sellerPages);
  const drop = (ids: Iterable<string>) =>
    eachAtOnce(ids, DELETED_AT_ONCE, async (id) => {
      await rows.delete(id);
    });
  if (replaced !== null && replaced.list_id !== named)
    await drop(Array.from({ length: replaced.pages }, (_, number) => sellerPageId(replaced.list_id, number)));
  // Each with a bound on the list's id, whose order the index has.
  for (const list_id of named === null ? [{ gt: '' }] : [{ lt: named }, { gt: named }])
    for (;;) {
      const page = await rows.find({ where: { file_id, list_id }, limit: LOOKED_AT });
      const dead = page.rows.filter((one) => isAbandoned(one, nowMs));
      if (dead.length === 0) break;
      await drop(dead.map(({ page_id }) => page_id));
    }
}
