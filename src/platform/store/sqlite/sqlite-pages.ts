import type { Plan } from '../collection-query.ts';
import type { Connection } from './sqlite-connection.ts';
import type { Sql } from './sqlite-sql.ts';

/** What the statements find at one instant: a row that another process changes meanwhile is found once, and not twice or never. */
export function allAtOnce(connection: Connection, statements: readonly Sql[]): unknown[][][] {
  const find = () => statements.map(({ text, values }) => connection.lists(text, values));
  if (statements.length === 1) return find();
  connection.exec('BEGIN');
  try {
    const found = find();
    connection.exec('COMMIT');
    return found;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** Where key and place stand in a record. */
const [KEY, PLACE] = [0, 2];

/** The records of some pages as one page, in the order that SQLite has: nulls, numbers, texts by their bytes. */
export function mergePages(
  { descending, limit }: Pick<Plan<never>, 'descending' | 'limit'>,
  pages: readonly unknown[][][],
): unknown[][] {
  const [first = [], ...others] = pages;
  if (others.length === 0) return first;
  const sign = descending ? -1 : 1;
  return pages
    .flat()
    .sort((a, b) => sign * (compare(a[PLACE], b[PLACE]) || compare(a[KEY], b[KEY])))
    .slice(0, limit);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string')
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return rankOf(a) - rankOf(b);
}

function rankOf(value: unknown): number {
  if (value === null) return 0;
  return typeof value === 'number' ? 1 : 2;
}
