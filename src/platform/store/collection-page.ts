import { startSlices } from '../in-slices.ts';
import type { Page, Row, Scalar } from './collection.ts';
import { planAfter } from './collection-query.ts';
import type { Plan } from './collection-query.ts';
import { UnreadableRowError } from './collection-rows.ts';
import type { RowCodec, StoredRow } from './collection-rows.ts';

/** A row that a driver found, and where it stands in the order of the query. */
export interface PlacedRow extends StoredRow {
  place: Scalar;
}

/** Past rows that cannot be read, so many are read in one go. */
const READ_ON = 200;

/**
 * One page, with the next rows in the place of those that cannot be read.
 * @param read Up to `plan.limit` rows that `plan` asks for, in order.
 */
export async function readPage<R extends Row>(
  plan: Plan<R>,
  codec: Pick<RowCodec<R>, 'fromStore' | 'tryFromStore'>,
  read: (plan: Plan<R>) => Promise<PlacedRow[]>,
): Promise<Page<R>> {
  const rows: R[] = [];
  const skipped: string[] = [];
  /** Those behind the last row: of this page when it is the last, else the next page meets them again. */
  let behind: string[] = [];
  // Rows of a megabyte are a hundred times as long to read as others, and a page may be all of them.
  const slices = startSlices();
  // One row more than the page has: it only tells that there is more.
  for (let from = { ...plan, limit: plan.limit + 1 }; ;) {
    const found = await read(from);
    for (const stored of found) {
      if (slices.isOver()) await slices.next();
      const row = plan.isForOne ? codec.fromStore(stored) : codec.tryFromStore(stored);
      if (row instanceof UnreadableRowError) {
        behind.push(stored.key);
        continue;
      }
      const last = rows.at(-1);
      if (rows.length === plan.limit && last !== undefined) return pageOf(rows, skipped, plan.cursorAfter(last));
      rows.push(row);
      skipped.push(...behind);
      behind = [];
    }
    const last = found.at(-1);
    if (last === undefined || found.length < from.limit) return pageOf(rows, [...skipped, ...behind]);
    from = planAfter({ ...plan, limit: Math.max(plan.limit + 1, READ_ON) }, { value: last.place, key: last.key });
  }
}

function pageOf<R>(rows: R[], skipped: string[], cursor?: string): Page<R> {
  return { rows, ...(cursor !== undefined && { cursor }), ...(skipped.length > 0 && { skipped }) };
}
