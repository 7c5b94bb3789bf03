import { allPages } from '../platform/store/all-rows.ts';
import type { Collection, Row, Where } from '../platform/store/collection.ts';

/** Every row that fits, page by page, up to `most`. */
export async function readAll<R extends Row>(collection: Collection<R>, where: Where<R>, most = 10_000): Promise<R[]> {
  const rows: R[] = [];
  for await (const page of allPages(collection, { where, limit: 1000 })) {
    rows.push(...page);
    if (rows.length >= most) break;
  }
  return rows.slice(0, most);
}
