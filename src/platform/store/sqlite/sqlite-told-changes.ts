import type { CollectionSpec, Row } from '../collection.ts';
import { aboutRows, toldFields } from '../told-changes.ts';
import type { ToldChanges } from '../told-changes.ts';
import type { Connection } from './sqlite-connection.ts';

/**
 * What was written to the tables that tell of it, numbered as it was committed. Triggers write it, so that it stands in the transaction of
 * what it tells, whoever makes that: this release, another, or a hand. See docs/decisions/0096-an-answer-that-is-kept.md.
 */
const TABLE = '"_changes"';
/** So many changes are remembered: who has not asked for longer knows nothing any more. */
export const MOST_TOLD = 4096;

const CREATE = `CREATE TABLE IF NOT EXISTS ${TABLE} (number INTEGER PRIMARY KEY AUTOINCREMENT, touched TEXT)`;
/** Without a word of what: anything may be otherwise from here on. */
const TELL_ALL = `INSERT INTO ${TABLE} (touched) VALUES (NULL)`;
const TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'";
const NEWEST = `SELECT max(number) AS number FROM ${TABLE}`;
/** Nothing while the mark is the newest: that is so at nearly every look. */
const IS_OTHER = `SELECT 1 AS other WHERE (SELECT max(number) FROM ${TABLE}) IS NOT ?`;
/** The one at the mark, too: while it is there, none behind it is gone. */
const FROM = `SELECT number, touched FROM ${TABLE} WHERE number >= ? ORDER BY number`;

const SIDES = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] } as const;

/** The triggers of a collection by name, as `sqlite_master` shows them; none for one that tells nothing. */
export function tellingTriggers<R extends Row>(spec: CollectionSpec<R>): ReadonlyMap<string, string> {
  const fields = toldFields(spec);
  const triggers = new Map<string, string>();
  if (fields.length === 0) return triggers;
  for (const [event, sides] of Object.entries(SIDES)) {
    const valueOf = (side: string, field: string) =>
      field === spec.key ? `${side}.key` : `${side}.body ->> '$.${field}'`;
    const values = fields.flatMap((field) => sides.flatMap((side) => [`'${field}'`, valueOf(side, field)]));
    const name = `${spec.name}__tell_${event.toLowerCase()}`;
    const told = `INSERT INTO ${TABLE} (touched) VALUES (json_array('${spec.name}', ${values.join(', ')}))`;
    const forgotten = `DELETE FROM ${TABLE} WHERE number <= (SELECT max(number) FROM ${TABLE}) - ${MOST_TOLD}`;
    triggers.set(name, `CREATE TRIGGER "${name}" AFTER ${event} ON "${spec.name}" BEGIN ${told}; ${forgotten}; END`);
  }
  return triggers;
}

/** Brings a collection's triggers to what is declared, and tells so. To be called in a transaction, once its table is there. */
export function prepareTelling(connection: Connection, triggers: ReadonlyMap<string, string>): void {
  if (triggers.size === 0) return;
  connection.exec(CREATE);
  const present = new Map(connection.all(TRIGGERS).map(({ name, sql }) => [name, sql]));
  for (const [name, text] of triggers) {
    if (present.get(name) === text) continue;
    connection.exec(`DROP TRIGGER IF EXISTS "${name}"`);
    connection.exec(text);
    connection.exec(TELL_ALL);
  }
}

/** Reads what has been told since a mark: see {@link Store.changesSince}. `declared` are the triggers of all collections. */
export function readTold(
  connection: Connection,
  declared: ReadonlyMap<string, string>,
  mark: number | undefined,
): ToldChanges | undefined {
  if (declared.size === 0) return undefined;
  if (mark === undefined) {
    // Before the look at the triggers: what becomes of those later is told behind this number.
    const number = Number(connection.all(NEWEST)[0]?.['number']);
    return isDeclared(connection, declared) ? { mark: number, touched: [] } : undefined;
  }
  if (connection.findsNothing(IS_OTHER, [mark])) return { mark, touched: [] };
  const [first, ...news] = connection.all(FROM, [mark]);
  const isWhole = first?.['number'] === mark && news.every(({ touched }) => typeof touched === 'string');
  if (!isWhole) {
    const begun = readTold(connection, declared, undefined);
    return begun && { ...begun, touched: undefined };
  }
  return { mark: Number(news.at(-1)?.['number']), touched: news.flatMap(({ touched }) => rowsIn(String(touched))) };
}

/** Whether the triggers are this release's: those of another may tell less. */
function isDeclared(connection: Connection, declared: ReadonlyMap<string, string>): boolean {
  const present = new Map(connection.all(TRIGGERS).map(({ name, sql }) => [name, sql]));
  return [...declared].every(([name, text]) => present.get(name) === text);
}

function rowsIn(touched: string): string[] {
  const [collection, ...pairs] = JSON.parse(touched) as (string | null)[];
  const rows: string[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [field, value] = [pairs[i], pairs[i + 1]];
    if (typeof value === 'string') rows.push(aboutRows(String(collection), String(field), value));
  }
  return rows;
}
