import { setImmediate as nextTurn } from 'node:timers/promises';
import { startSlices } from '../../in-slices.ts';
import { DuplicateError } from '../collection.ts';
import type { Collection, CollectionSpec, InsertResult, Row } from '../collection.ts';
import { readPage } from '../collection-page.ts';
import type { PlacedRow } from '../collection-page.ts';
import { planCount, planFind } from '../collection-query.ts';
import type { Plan } from '../collection-query.ts';
import { rowCodec } from '../collection-rows.ts';
import type { UnreadableRowError } from '../collection-rows.ts';
import { rowShape } from '../collection-spec.ts';
import { isSettled } from '../settled-schema.ts';
import type { Logger } from '../../log.ts';
import type { JudgedBodies } from './judged-bodies.ts';
import type { Connection } from './sqlite-connection.ts';
import { allAtOnce, mergePages } from './sqlite-pages.ts';
import { placedRows } from './sqlite-body.ts';
import { createTableAccess } from './sqlite-access.ts';
import type { AccessTarget } from './sqlite-access.ts';
import { embeddedRawRows } from './sqlite-raw-rows.ts';
import { prepareSqliteIndexes } from './sqlite-table.ts';
import { prepareTelling, tellingTriggers } from './sqlite-told-changes.ts';
import type { RawRows } from '../store-driver.ts';

/** What the driver does with its tables, whatever their rows. */
export interface EmbeddedTable {
  /** Table and indexes are there. */
  isPrepared(): boolean;
  /** To be called within a write, as the next. */
  createTable(): void;
  createIndexes(dropOthers: boolean, logger: Logger): void;
  /** What tells of its writes, by name; none where nobody wants to know. */
  triggers: ReadonlyMap<string, string>;
  /** Deletes expired rows; answers how many. */
  sweep(): Promise<number>;
}

export interface EmbeddedTarget extends AccessTarget {
  judged: JudgedBodies;
  /** Hears of rows that cannot be read. */
  note: (error: UnreadableRowError) => void;
}

/** Rows handled in one go, between which the event loop goes on. */
const BATCH = 500;
/** The same, of whole rows by their keys: one may be a megabyte, and to take a text out of SQLite cannot be divided. */
const ROWS_BATCH = 16;
/** Rows inserted by one statement; fewer go in one by one. */
const TOGETHER = 50;
/** The same, of single fields. */
const FIELDS_BATCH = 2_000;

export function createEmbeddedCollection<R extends Row>(
  spec: CollectionSpec<R>,
  { judged, note, ...target }: EmbeddedTarget,
): { collection: Collection<R>; raw: RawRows; table: EmbeddedTable } {
  const shape = rowShape(spec);
  const access = createTableAccess(spec, target);
  const { sql, now, read, write, tryWrite, removeExpired } = access;
  const codec = rowCodec(spec, note);
  const isJudgedOnce = isSettled(spec.schema);
  let prepared = false;

  const stored = (records: readonly unknown[][], sortField: string = spec.key) =>
    placedRows(spec.key, sortField, records);

  function load(connection: Connection, key: string): R | undefined {
    const [record] = connection.lists(sql.get, [key]);
    const [found] = stored(record === undefined ? [] : [record]);
    if (found === undefined) return undefined;
    const isJudged = isJudgedOnce && judged.has(spec.name, key, record?.[1]);
    const row = isJudged ? (found.row as R) : codec.fromStore(found);
    return codec.isLive(row, now()) ? row : undefined;
  }

  /** The text that the row is stored as, of which it is known from now on that it can be read. */
  function bodyOf(row: R): string {
    const body = JSON.stringify(row);
    if (isJudgedOnce) judged.note(spec.name, codec.keyOf(row), body);
    return body;
  }

  function insert(connection: Connection, row: R): InsertResult {
    const outcome = tryWrite(connection, sql.insert, [codec.keyOf(row), bodyOf(row)]);
    if (typeof outcome === 'number') return { inserted: true };
    return { inserted: false, duplicate: connection.all(sql.get, [codec.keyOf(row)]).length > 0 ? 'key' : outcome };
  }

  function insertAbsent(connection: Connection, rows: readonly R[], inOrder: boolean): number {
    while (removeExpired(connection) > 0);
    const records = rows.map((row): [key: string, body: string] => [codec.keyOf(row), JSON.stringify(row)]);
    let inserted = 0;
    for (let at = 0; at < records.length;) {
      const some = records.slice(at, at + (records.length - at < TOGETHER ? 1 : TOGETHER));
      at += some.length;
      if (!inOrder) inserted += connection.run(sql.insertEachAbsent(some.length), some.flat());
      else {
        const added = insertUpToRefused(connection, some);
        inserted += added;
        if (added < some.length) break;
      }
    }
    return inserted;
  }

  /** In one statement; one by one where any is refused, and none behind that. */
  function insertUpToRefused(connection: Connection, records: readonly [key: string, body: string][]): number {
    const outcome = tryWrite(connection, sql.insertEach(records.length), records.flat());
    if (typeof outcome === 'number') return outcome;
    const refused = records.findIndex((record) => connection.run(sql.insertEachAbsent(1), record) === 0);
    return refused === -1 ? records.length : refused;
  }

  function replace(connection: Connection, row: R): R | undefined {
    const count = codec.countOf(row);
    const values = [count, bodyOf(row), codec.keyOf(row), count - 1, ...sql.liveValues(now())];
    const outcome = tryWrite(connection, sql.replace, values);
    if (typeof outcome === 'string') throw new DuplicateError(spec.name, outcome);
    return outcome === 1 ? row : undefined;
  }

  async function readRows(plan: Plan<R>): Promise<PlacedRow[]> {
    const statements = sql.find(plan, now());
    const pages = await read('find', (connection) => allAtOnce(connection, statements));
    return stored(mergePages(plan, pages), plan.sortField);
  }

  const collection: Collection<R> = {
    spec,
    get: (key) => read('get', (connection) => load(connection, key)),

    isCurrent: (row) => {
      const values = [codec.keyOf(row), codec.countOf(row), ...sql.liveValues(now())];
      return read('look at', (connection) => connection.all(sql.isCurrent, values).length > 0);
    },

    getMany: async (keys, { skipUnreadable = false } = {}) => {
      const rows: R[] = [];
      const slices = startSlices();
      const distinct = [...new Set(keys)];
      for (let start = 0; start < distinct.length; start += ROWS_BATCH) {
        if (slices.isOver()) await slices.next();
        const list = JSON.stringify(distinct.slice(start, start + ROWS_BATCH));
        const found = stored(await read('get', (connection) => connection.lists(sql.getMany, [list])));
        rows.push(...(await codec.manyFromStore(found, skipUnreadable)));
      }
      const at = now();
      return rows.filter((row) => codec.isLive(row, at));
    },

    getField: async (keys, field) => {
      const values = new Map<string, string>();
      const distinct = [...new Set(keys)];
      for (let start = 0; start < distinct.length; start += FIELDS_BATCH) {
        if (start > 0) await nextTurn();
        const bound = [JSON.stringify(distinct.slice(start, start + FIELDS_BATCH)), ...sql.liveValues(now())];
        for (const [key, value] of await read('get', (connection) => connection.lists(sql.getField(field), bound)))
          if (typeof value === 'string') values.set(key as string, value);
      }
      return values;
    },

    find: async (query) => readPage(planFind(spec, shape, query), codec, readRows),

    count: async (where, { most } = {}) => {
      const { text, values } = sql.count(planCount(spec, shape, where), now(), most);
      const [record] = await read('count', (connection) => connection.all(text, values));
      return record?.['n'] as number;
    },

    insert: async (row) => {
      const stored = codec.toInsert(row);
      return write('insert', (connection) => insert(connection, stored));
    },

    insertMany: async (rows, { inOrder = false } = {}) => {
      let inserted = 0;
      for (let start = 0; start < rows.length; start += BATCH) {
        if (start > 0) await nextTurn();
        const batch = rows.slice(start, start + BATCH).map(codec.toInsert);
        const added = await write('insert', (connection) => insertAbsent(connection, batch, inOrder));
        inserted += added;
        if (inOrder && added < batch.length) break;
      }
      return inserted;
    },

    replace: async (row, read) =>
      write('replace', (connection) => {
        const before = spec.onChange === undefined ? row : (read ?? load(connection, codec.keyOf(row)));
        if (!before || !Object.is(codec.countOf(before), codec.countOf(row))) return undefined;
        return replace(connection, codec.toReplace(before, row));
      }),

    update: async (key, change) =>
      write('update', (connection) => {
        const row = load(connection, key);
        if (!row) return undefined;
        const changed = change(row);
        if (!changed) return { row, changed: false };
        const stored = codec.toReplace(row, changed);
        if (codec.keyOf(stored) !== key) throw new Error(`an update of ${spec.name} may not change the key`);
        replace(connection, stored);
        return { row: stored, changed: true };
      }),

    delete: async (key, count = -1) =>
      write('delete', (connection) => {
        const values = [key, count, count, ...sql.liveValues(now())];
        return connection.run(sql.delete, values) === 1;
      }),
  };

  const triggers = tellingTriggers(spec);
  const table: EmbeddedTable = {
    triggers,
    isPrepared: () => prepared,
    createTable: () => {
      target.use().connection.exec(sql.createTable);
      access.created();
    },
    createIndexes: (dropOthers, logger) => {
      prepareSqliteIndexes(target.use().connection, spec.name, sql, { dropOthers, logger });
      prepareTelling(target.use().connection, triggers);
      prepared = true;
    },
    sweep: async () => {
      let total = 0;
      for (;;) {
        const removed = await write('sweep', removeExpired);
        total += removed;
        if (removed < BATCH) return total;
      }
    },
  };

  return { collection, raw: embeddedRawRows(spec, access), table };
}
