import type { Connection } from './sqlite-connection.ts';
import type { CollectionSql } from './sqlite-sql.ts';

/**
 * Brings the table and its indexes to what is declared: creates what is missing, makes anew what was declared
 * otherwise, drops what is declared no more. To be called in a transaction.
 */
export function prepareTable(
  connection: Connection,
  table: string,
  sql: Pick<CollectionSql<never>, 'createTable' | 'createIndexes'>,
): void {
  connection.exec(sql.createTable);
  const present = new Map<unknown, unknown>();
  for (const { name, sql: text } of connection.all(
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    [table],
  ))
    present.set(name, text);
  for (const [name, text] of present)
    if (sql.createIndexes.get(String(name)) !== text) connection.exec(`DROP INDEX "${String(name)}"`);
  for (const [name, text] of sql.createIndexes) if (present.get(name) !== text) connection.exec(text);
}
