import type { Collection, Row, Where } from './collection.ts';

/** Rows asked for in one query. */
const BATCH = 200;

/** Later than every timestamp. */
export const FAR = '9999';

/** What many rows owe by a time that stands in one of their fields, looked at in portions. */
export interface Backlog {
  /**
   * Looks at rows whose field is a timestamp up to `until`, oldest first, and stops after `most` of them; the next call
   * goes on behind the last one before it begins anew.
   * @throws what the store or the look at a row throws; the next call then begins where this one did.
   */
  portion(until: string, most: number): Promise<Looked>;
  /** Looks at all of them, from the first. */
  all(until: string): Promise<Looked>;
}

/** How many rows there were, and for how many of them something was left to do. */
interface Looked {
  found: number;
  done: number;
}

/**
 * @param field indexed; null in rows that owe nothing.
 * @param look does what is left to do for rows, and answers for how many of them that was.
 */
export function createBacklog<R extends Row>(
  rows: Collection<R>,
  field: keyof R & string,
  look: (found: readonly R[]) => Promise<number>,
): Backlog {
  /** Where the last portion ended in a long backlog. */
  let left: { until: string; after: string } | undefined;

  async function goThrough(until: string, most: number, start: string | undefined): Promise<Looked> {
    const looked = { found: 0, done: 0 };
    let after = start;
    do {
      const page = await rows.find({
        where: { [field]: { gt: '', lte: until } } as Where<R>,
        sort: { field, direction: 'asc' },
        limit: BATCH,
        ...(after !== undefined && { after }),
      });
      looked.done += await look(page.rows);
      looked.found += page.rows.length;
      after = page.cursor;
    } while (after !== undefined && looked.found < most);
    left = after === undefined ? undefined : { until, after };
    return looked;
  }

  return {
    portion: (until, most) => goThrough(left?.until ?? until, most, left?.after),
    all: (until) => goThrough(until, Infinity, undefined),
  };
}
