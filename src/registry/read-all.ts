import type { Collection, Row, Where } from '../platform/collection.ts';

/** Every row that fits, page by page, up to `most`. */
export async function readAll<R extends Row>(collection: Collection<R>, where: Where<R>, most = 10_000): Promise<R[]> {
  const rows: R[] = [];
  let after: string | undefined;
  do {
    const page = await collection.find({ where, limit: 1000, ...(after !== undefined && { after }) });
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined && rows.length < most);
  return rows.slice(0, most);
}
