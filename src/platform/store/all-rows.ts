import type { Collection, Query, Row } from './collection.ts';

/** What to walk through; `limit` is the size of a page, default 500. */
interface Walk<R extends Row> extends Omit<Query<R>, 'after'> {
  /** Hears the keys of rows that were passed over, since they cannot be read. Who notes a walk as done listens. */
  onSkipped?: (keys: readonly string[]) => void;
}

/** Every row that fits, a page of the store at a time. What changes on the way may be met or not. */
export async function* allPages<R extends Row>(
  collection: Collection<R>,
  { limit = 500, onSkipped, ...query }: Walk<R>,
): AsyncGenerator<R[], void, undefined> {
  let after: string | undefined;
  do {
    const page = await collection.find({ ...query, limit, ...(after !== undefined && { after }) });
    if (page.skipped !== undefined) onSkipped?.(page.skipped);
    yield page.rows;
    after = page.cursor;
  } while (after !== undefined);
}

/** The same, row by row. */
export async function* allRows<R extends Row>(
  collection: Collection<R>,
  walk: Walk<R>,
): AsyncGenerator<R, void, undefined> {
  for await (const rows of allPages(collection, walk)) yield* rows;
}
