import type { Logger } from '../../log.ts';
import type { Connection } from './sqlite-connection.ts';
import type { CollectionSql } from './sqlite-sql.ts';

/**
 * Brings the indexes of a table to what is declared: creates what is missing, makes anew what was declared otherwise or
 * under another name. Others may be a newer release's: they go only when `dropOthers`. To be called in a transaction.
 */
export function prepareSqliteIndexes(
  connection: Connection,
  table: string,
  { createIndexes }: Pick<CollectionSql<never>, 'createIndexes'>,
  { dropOthers, logger }: { dropOthers: boolean; logger: Logger },
): void {
  connection.exec('SAVEPOINT indexes');
  try {
    makeIndexes(connection, table, createIndexes, { dropOthers, logger });
  } catch (error) {
    // One that cannot be made, since rows are in its way, must not cost the one that stands in its place.
    connection.exec('ROLLBACK TO indexes');
    throw error;
  } finally {
    connection.exec('RELEASE indexes');
  }
}

function makeIndexes(
  connection: Connection,
  table: string,
  createIndexes: CollectionSql<never>['createIndexes'],
  { dropOthers, logger }: { dropOthers: boolean; logger: Logger },
): void {
  const present = new Map<unknown, unknown>();
  for (const { name, sql: text } of connection.all(
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    [table],
  ))
    present.set(name, text);
  const renamed = new Set([...createIndexes].map(([name, text]) => unnamed(name, text)));
  for (const [name, text] of present) {
    if (createIndexes.get(String(name)) === text) continue;
    const isOthers = !createIndexes.has(String(name)) && !renamed.has(unnamed(String(name), String(text)));
    if (isOthers && !dropOthers) logger.warn({ collection: table, index: name }, 'an index that is not declared');
    else connection.exec(`DROP INDEX "${String(name)}"`);
  }
  for (const [name, text] of createIndexes) if (present.get(name) !== text) connection.exec(text);
}

/** What an index is, whatever it is called. */
function unnamed(name: string, text: string): string {
  return text.replace(`"${name}"`, '');
}
