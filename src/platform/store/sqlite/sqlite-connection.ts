import Database from 'libsql';
import { open as openFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../collection.ts';
import type { Sql } from './sqlite-sql.ts';

/** One open database file. Every call is synchronous and may throw `SQLITE_BUSY`: see {@link isBusy}. */
export interface Connection {
  exec(text: string): void;
  /** Runs to the end; answers how many rows changed. */
  run(text: string, values: Sql['values']): number;
  all(text: string, values?: Sql['values']): Record<string, unknown>[];
  /** The same with each record as a list, in the order of its columns, which is the cheaper the more there are. */
  lists(text: string, values: Sql['values']): unknown[][];
  /** Whether a query finds nothing: where it does not, at less than half the price of `all`. */
  findsNothing(text: string, values: Sql['values']): boolean;
  readonly inTransaction: boolean;
  /** Grows whenever something may have been written. */
  changes(): number;
  /** Puts everything committed so far on disk, without blocking this thread. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** How long SQLite itself may wait for a lock, blocking this thread. Longer waits are asynchronous. */
const BUSY_TIMEOUT_MS = 10;

/**
 * Values as they may be bound. The types say so already; what came from outside past them must not reach the driver, which
 * ends the whole process at a boolean.
 */
function checked(values: Sql['values']): Sql['values'] {
  for (const value of values as readonly unknown[]) {
    if (typeof value === 'string' || typeof value === 'number') continue;
    throw new TypeError(`a value of type ${typeof value} cannot be bound in a statement of the store`);
  }
  return values;
}

/** @throws what SQLite throws when the file cannot be opened, or is busy. */
export function openConnection(file: string): Connection {
  let db: Database.Database | undefined = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  let statements = new Map<string, Database.Statement>();
  /** Apart, since a statement answers either lists or objects. */
  let listing = new Map<string, Database.Statement>();
  let log: Promise<FileHandle> | undefined;
  let changes = 0;
  const open = () => {
    if (!db) throw new Error('the store is closed');
    return db;
  };
  const prepare = (text: string) => {
    const prepared = statements.get(text) ?? open().prepare(text);
    statements.set(text, prepared);
    return prepared;
  };
  const prepareLists = (text: string) => {
    const prepared = listing.get(text) ?? open().prepare(text).raw(true);
    listing.set(text, prepared);
    return prepared;
  };
  try {
    // `all`, never `get` of a row: a statement that has not run to its end keeps its snapshot, and the next write is refused.
    if (db.prepare('PRAGMA journal_mode = WAL').all().length !== 1) throw new Error(`${file} has no write-ahead log`);
    // A commit leaves its frames in the log's file; `sync` puts them on disk. Checkpoints sync by themselves.
    db.exec('PRAGMA synchronous = NORMAL');
    // What is deleted is overwritten, where that costs no write of its own.
    db.prepare('PRAGMA secure_delete = FAST').all();
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    exec: (text) => {
      changes += 1;
      open().exec(text);
    },
    run(text, values) {
      const changed = prepare(text).run(checked(values)).changes;
      changes += changed;
      return changed;
    },
    all: (text, values = []) => prepare(text).all(checked(values)) as Record<string, unknown>[],
    lists: (text, values) => prepareLists(text).all(checked(values)) as unknown[][],
    // What finds no row has run to its end. What finds one is run to it.
    findsNothing: (text, values) =>
      prepare(text).get(checked(values)) === undefined || prepare(text).all(checked(values)).length === 0,
    get inTransaction() {
      return open().inTransaction;
    },
    changes: () => changes,
    sync: async () => {
      // The log keeps its file for as long as anybody has the database open.
      log ??= openFile(`${file}-wal`, 'r+');
      await (await log).datasync();
    },
    close: async () => {
      await (await log)?.close();
      log = undefined;
      try {
        db?.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
      } catch (error) {
        if (!isBusy(error)) throw error; // another process uses the file, and will do it
      }
      statements = new Map();
      listing = new Map(); // libsql keeps the file open for as long as a statement or the database is referenced
      db?.close();
      db = undefined;
    },
  };
}

/** Another process holds a lock (`SQLITE_BUSY` and its kin, `SQLITE_PROTOCOL`): nothing happened, try again. */
export function isBusy(error: unknown): boolean {
  const code = error instanceof Database.SqliteError ? (error.rawCode ?? 0) & 0xff : 0;
  return code === 5 || code === 15;
}

/** A primary key or unique index refused the statement, which then did nothing. */
export function isUniqueViolation(error: unknown): error is Error {
  return error instanceof Database.SqliteError && (error.rawCode === 1555 || error.rawCode === 2067);
}

/** Milliseconds to wait before the next attempt on a locked file: short at first, at most 50, never in step. */
export function busyDelayMs(attempt: number): number {
  return Math.min(50, 2 * 1.5 ** attempt) * (0.5 + Math.random() / 2);
}

/**
 * Runs `action` until the file is free.
 * @throws {StoreUnavailableError} when another process holds it for `timeoutMs`.
 */
export async function retryWhileBusy<T>(what: string, timeoutMs: number, action: () => T): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > giveUpAt) throw new StoreUnavailableError(what, error);
    }
    await delay(busyDelayMs(attempt));
  }
}
