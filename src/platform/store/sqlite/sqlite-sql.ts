import type { CollectionSpec, IndexSpec, Row, Scalar } from '../collection.ts';
import type { Plan, Term } from '../collection-query.ts';
import { counterOf } from '../collection-rows.ts';
import { termsByMember } from './sqlite-members.ts';

/** A statement and its bound values. */
export interface Sql {
  text: string;
  values: (string | number)[];
}

/**
 * The SQL of one collection: a table of (key, revision, body as JSON text), where the column `revision` is the rows'
 * counter, whatever field that is; with an index on JSON expressions for each declared index. The text of an expression must be the same in an index and in a query for SQLite to match them.
 */
export interface CollectionSql<R extends Row> {
  createTable: string;
  /** By full name. The text is as `sqlite_master` shows it. */
  createIndexes: ReadonlyMap<string, string>;
  insert: string;
  /** For so many in one statement. Values: key, body of each. Changes nothing where any is refused. */
  insertEach(count: number): string;
  /** The same, but for those that a unique index refuses. */
  insertEachAbsent(count: number): string;
  /** Values: key, counter, body. */
  insertRaw: string;
  clear: string;
  get: string;
  getMany: string;
  /** Values: keys as JSON, {@link liveValues}. Records have `key` and `value`. */
  getField(field: string): string;
  /** Values: key, counter, {@link liveValues}. A record exactly when the row stands at that counter. */
  isCurrent: string;
  /** Values: key to come after, limit. Expired rows too. */
  page: string;
  /** Values: new counter, body, key, expected counter, {@link liveValues}. */
  replace: string;
  /** Like `replace`, of expired rows too. */
  replaceRaw: string;
  /** Values: key, counter twice (-1 for any), {@link liveValues}. */
  delete: string;
  /** For the condition, in `replace` and `delete`, that the row has not expired. */
  liveValues(now: string): string[];
  /** Undefined unless rows expire. Removes up to 500. */
  deleteExpired: string | undefined;
  /**
   * One statement, or some whose answers {@link mergePages} makes one page of. Records are key and body, and of some statements the value that
   * they are sorted by besides: SQLite takes it out of the body of each row.
   */
  find(plan: Plan<R>, now: string): Sql[];
  /** No further than `most`. */
  count(terms: readonly Term[], now: string, most?: number): Sql;
  /** The declared name of the unique index in SQLite's message about a violation. */
  duplicateIn(message: string): string | undefined;
}

export function collectionSql<R extends Row>(spec: CollectionSpec<R>): CollectionSql<R> {
  const table = `"${spec.name}"`;
  const prefix = `${spec.name}__`;
  const held = new Set<string>(spec.indexes.flatMap(({ holds }) => holds ?? []));
  const column = (field: string) => {
    if (field === spec.key) return 'key';
    if (field === counterOf(spec)) return 'revision';
    return held.has(field) ? readFromIndex(field) : `json_extract(body, '$.${field}')`;
  };
  const expiry = spec.expires === undefined ? undefined : `json_extract(body, '$.${spec.expires}')`;
  const heldExpiry = spec.expires === undefined ? undefined : readFromIndex(spec.expires);
  // What is no text is no timestamp that has come: a damaged row, or one of a newer release, which nobody may delete.
  const live = heldExpiry && `(typeof(${heldExpiry}) <> 'text' OR ${heldExpiry} > ?)`;
  const andLive = live === undefined ? '' : ` AND ${live}`;

  const createIndexes = new Map<string, string>();
  for (const index of spec.indexes) createIndexes.set(prefix + index.name, indexSql(index));
  if (expiry !== undefined)
    createIndexes.set(`${prefix}_expires`, `CREATE INDEX "${prefix}_expires" ON ${table} (${expiry})`);

  function indexSql(index: IndexSpec<R>): string {
    const columns = index.fields.map(column);
    if (!index.unique && !columns.includes('key')) columns.push('key');
    if (index.holds !== undefined)
      columns.push(...index.holds.map(column), ...(heldExpiry === undefined ? [] : [heldExpiry]));
    const where = Object.entries(index.where ?? {}).map(([field, value]) => isLiteral(column(field), value as Scalar));
    const only = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
    return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX "${prefix}${index.name}" ON ${table} (${columns.join(', ')})${only}`;
  }

  /** Values that partial indexes are declared with stand as literals: SQLite picks those indexes before it sees values. */
  const literal = (field: string, value: Scalar) =>
    spec.indexes.some((index) => (index.where as Partial<Record<string, Scalar>> | undefined)?.[field] === value);

  function conditions(terms: readonly Term[], now: string): Sql {
    const texts: string[] = [];
    const values: Sql['values'] = [];
    const add = (text: string, ...bound: (string | number)[]) => {
      texts.push(text);
      values.push(...bound);
    };
    for (const term of terms) {
      const operand = column(term.field);
      if (term.kind === 'in') {
        const list = `${operand} IN (SELECT value FROM json_each(?))`;
        add(term.values.includes(null) ? `(${operand} IS NULL OR ${list})` : list, JSON.stringify(term.values));
      } else if (term.kind !== 'eq') add(`${operand} ${COMPARISON[term.kind]} ?`, bind(term.value));
      else if (term.value === null || literal(term.field, term.value)) add(isLiteral(operand, term.value));
      else add(`${operand} = ?`, bind(term.value));
    }
    if (live !== undefined) add(live, now);
    return { text: texts.length === 0 ? '' : ` WHERE ${texts.join(' AND ')}`, values };
  }

  /**
   * Names the partial index that holds what is counted. SQLite, which has no statistics, prefers any other index that begins with
   * the same field, and would read every row of an organization to find its few.
   */
  const partial = (terms: readonly Term[]) => {
    const index = spec.indexes.find(({ where, fields }) => {
      const given = (field: string) => terms.find((term) => term.kind === 'eq' && term.field === field);
      const held = Object.entries<Scalar | undefined>(where ?? {});
      if (held.length === 0 || fields[0] === undefined || given(fields[0]) === undefined) return false;
      return held.every(([field, value]) =>
        terms.some((t) => t.kind === 'eq' && t.field === field && t.value === value),
      );
    });
    return index === undefined ? '' : ` INDEXED BY "${prefix}${index.name}"`;
  };

  /** Names the index that has a field beside the key: SQLite would go to the rows. */
  const holding = (field: string) => {
    const index = spec.indexes.find(
      ({ fields, holds = [] }) => fields[0] === spec.key && holds.some((one) => one === field),
    );
    return index === undefined ? '' : ` INDEXED BY "${prefix}${index.name}"`;
  };

  const insertEach = (count: number) =>
    `INSERT INTO ${table} (key, revision, body) VALUES ${Array(count).fill('(?, 1, ?)').join(', ')}`;

  function page(plan: Plan<R>, terms: readonly Term[], now: string, withPlace: boolean): Sql {
    const { text, values } = conditions(terms, now);
    const after = afterSql(column(plan.sortField), plan);
    const where = after && (text === '' ? ` WHERE ${after.text}` : ` AND ${after.text}`);
    const direction = plan.descending ? 'DESC' : 'ASC';
    const order = [...new Set([column(plan.sortField), 'key'])].map((operand) => `${operand} ${direction}`);
    return {
      text: `SELECT key, body${withPlace ? `, ${column(plan.sortField)} AS place` : ''} FROM ${table}${text}${where ?? ''} ORDER BY ${order.join(', ')} LIMIT ?`,
      values: [...values, ...(after?.values ?? []), plan.limit],
    };
  }

  return {
    createTable: `CREATE TABLE IF NOT EXISTS ${table} (key TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, body TEXT NOT NULL)`,
    createIndexes,
    insert: insertEach(1),
    insertEach,
    insertEachAbsent: (count) => `${insertEach(count)} ON CONFLICT DO NOTHING`,
    insertRaw: `INSERT INTO ${table} (key, revision, body) VALUES (?, ?, ?)`,
    clear: `DELETE FROM ${table}`,
    get: `SELECT key, body FROM ${table} WHERE key = ?`,
    getMany: `SELECT key, body FROM ${table} WHERE key IN (SELECT value FROM json_each(?))`,
    getField: (field) =>
      `SELECT key, ${column(field)} AS value FROM ${table}${holding(field)} WHERE key IN (SELECT value FROM json_each(?))${andLive}`,
    isCurrent: `SELECT 1 FROM ${table} WHERE key = ? AND revision = ?${andLive}`,
    page: `SELECT key, body FROM ${table} WHERE key > ? ORDER BY key LIMIT ?`,
    replace: `UPDATE ${table} SET revision = ?, body = ? WHERE key = ? AND revision = ?${andLive}`,
    replaceRaw: `UPDATE ${table} SET revision = ?, body = ? WHERE key = ? AND revision = ?`,
    delete: `DELETE FROM ${table} WHERE key = ? AND (? = -1 OR revision = ?)${andLive}`,
    liveValues: (now) => (live === undefined ? [] : [now]),
    deleteExpired:
      expiry &&
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${expiry} <= ? AND typeof(${expiry}) = 'text' LIMIT 500)`,
    find: (plan, now) => {
      const sets = termsByMember(spec, plan);
      return sets.map((terms) => page(plan, terms, now, sets.length > 1));
    },
    count: (terms, now, most) => {
      const { text, values } = conditions(terms, now);
      if (most === undefined) return { text: `SELECT count(*) AS n FROM ${table}${partial(terms)}${text}`, values };
      const some = `SELECT 1 FROM ${table}${partial(terms)}${text} LIMIT ?`;
      return { text: `SELECT count(*) AS n FROM (${some})`, values: [...values, most] };
    },
    duplicateIn: (message) => {
      const name = /index '(.+)'$/.exec(message)?.[1];
      return name?.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    },
  };
}

/**
 * A field as SQLite takes it out of an index that has it, without reading the row. It does not for `json_extract`, whose answer
 * may be more than its value (a subtype); to seek by, and to order by, both are as good.
 */
function readFromIndex(field: string): string {
  return `(body ->> '$.${field}')`;
}

const COMPARISON = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function bind(value: NonNullable<Scalar>): string | number {
  return typeof value === 'boolean' ? Number(value) : value;
}

function isLiteral(operand: string, value: Scalar): string {
  if (value === null) return `${operand} IS NULL`;
  return `${operand} = ${typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : bind(value)}`;
}

/** The rows past the cursor. Nulls sort first, and compare with nothing, so they get branches of their own. */
function afterSql(operand: string, plan: Plan<never>): Sql | undefined {
  if (!plan.after) return undefined;
  const { value, key } = plan.after;
  const [past, reach] = plan.descending ? ['<', '<='] : ['>', '>='];
  if (operand === 'key') return { text: `key ${past} ?`, values: [key] };
  if (value === null) {
    const tie = `(${operand} IS NULL AND key ${past} ?)`;
    return { text: plan.descending ? tie : `(${tie} OR ${operand} IS NOT NULL)`, values: [key] };
  }
  const bound = bind(value);
  const text = `(${operand} ${reach} ? AND (${operand} ${past} ? OR key ${past} ?))`;
  return {
    text: plan.descending && plan.mayBeNull ? `(${text} OR ${operand} IS NULL)` : text,
    values: [bound, bound, key],
  };
}
