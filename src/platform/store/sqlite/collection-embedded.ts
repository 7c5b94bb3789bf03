import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Clock } from '../../clock.ts';
import type { Store } from '../collection.ts';
import { DEFAULT_TIMEOUT_MS } from '../collection-timeout.ts';
import type { Logger } from '../../log.ts';
import { createEmbeddedCollection } from './sqlite-collection.ts';
import type { EmbeddedTable } from './sqlite-collection.ts';
import { openConnection, retryWhileBusy } from './sqlite-connection.ts';
import { readTold } from './sqlite-told-changes.ts';
import type { Connection } from './sqlite-connection.ts';
import { judgedBodies } from './judged-bodies.ts';
import { createWriter } from './sqlite-group-commit.ts';
import type { Writer } from './sqlite-group-commit.ts';
import type { StoreDriver } from '../store-driver.ts';
import { storeOnDriver } from '../store-on-driver.ts';

export interface EmbeddedStoreOptions {
  /** Path of the database file; folders on the way are made, all for this account alone. SQLite keeps `-wal` and `-shm` files beside it. */
  file: string;
  logger: Logger;
  /** Says which rows have expired. Default: the system's. */
  clock?: Clock;
  /** How long an operation waits for a file that another process has locked. Default: 30 s. */
  timeoutMs?: number;
  /** How often expired rows are really deleted. Default: each minute. */
  sweepEveryMs?: number;
}

/**
 * The store in one SQLite file: write-ahead log, writes of one turn of the event loop in one transaction, answered once
 * they are on disk. Several processes may have the file open. See docs/decisions/0002-storage.md.
 */
export function createEmbeddedStore({ clock = systemClock, ...options }: EmbeddedStoreOptions): Store {
  return storeOnDriver(embeddedDriver({ ...options, clock }), { clock, logger: options.logger });
}

/** What stands behind {@link createEmbeddedStore}. */
export function embeddedDriver(options: EmbeddedStoreOptions): StoreDriver {
  const { file, logger, clock = systemClock, timeoutMs = DEFAULT_TIMEOUT_MS, sweepEveryMs = 60_000 } = options;
  const tables = new Map<string, EmbeddedTable>();
  const judged = judgedBodies();
  const triggers = new Map<string, string>();
  let opened: { connection: Connection; writer: Writer } | undefined;
  let sweeper: NodeJS.Timeout | undefined;
  let closed = false;

  const use = () => {
    if (!opened) throw new Error(closed ? 'the store is closed' : 'prepare the store before use');
    return opened;
  };
  const tableOf = (name: string) => {
    const table = tables.get(name);
    if (table === undefined) throw new Error(`${name} was not asked for`);
    return table;
  };

  async function sweep(): Promise<void> {
    for (const [collection, table] of tables) {
      if (!table.isPrepared()) continue;
      try {
        const removed = await table.sweep();
        if (removed > 0) logger.debug({ collection, removed }, 'expired rows deleted');
      } catch (error) {
        if (!closed) logger.warn({ err: error, collection }, 'expired rows not deleted');
      }
    }
  }

  return {
    kind: 'sqlite',
    async open() {
      if (closed) throw new Error('the store is closed');
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      makeClosed(file);
      const connection = await retryWhileBusy('open', timeoutMs, () => openConnection(file));
      opened = { connection, writer: createWriter(connection, timeoutMs) };
      sweeper = setInterval(() => void sweep(), sweepEveryMs).unref();
    },
    create(spec, note) {
      const { collection, raw, table } = createEmbeddedCollection(spec, { use, clock, timeoutMs, judged, note });
      tables.set(spec.name, table);
      return { spec, collection, raw };
    },
    createTables: (collections) =>
      use().writer.write('create tables', () => {
        for (const { spec } of collections) tableOf(spec.name).createTable();
      }),
    async createIndexes(collections, dropOthers) {
      // Each table's by themselves: what is made stands when the process is killed, and others that start have the file in between.
      for (const { spec } of collections)
        await use().writer.write(`create indexes of ${spec.name}`, () => {
          tableOf(spec.name).createIndexes(dropOthers.has(spec.name), logger);
        });
      for (const { spec } of collections) for (const made of tableOf(spec.name).triggers) triggers.set(...made);
    },
    async reading(work) {
      clearInterval(sweeper);
      const { connection } = use();
      // The first read takes the snapshot that all others see.
      connection.exec('BEGIN');
      try {
        const [found] = await retryWhileBusy('check', timeoutMs, () => connection.all('PRAGMA integrity_check(1)'));
        const verdict = String(found?.['integrity_check']);
        if (verdict !== 'ok') throw new Error(`${file} is damaged (${verdict}); put back a backup of it`);
        return await work();
      } finally {
        connection.exec('ROLLBACK');
      }
    },
    async changesSince(mark) {
      const { connection, writer } = use();
      const told = await retryWhileBusy('changes', timeoutMs, () => readTold(connection, triggers, mark));
      await writer.synced()?.catch(() => undefined);
      return told;
    },
    ping: async () => {
      const { connection } = use();
      await retryWhileBusy('ping', timeoutMs, () => connection.all('SELECT count(*) FROM sqlite_master'));
    },
    async close() {
      clearInterval(sweeper);
      await opened?.writer.idle();
      closed = true;
      await opened?.connection.close();
      opened = undefined;
    },
  };
}

/**
 * Makes the database's file for this account alone; SQLite gives those beside it the same mode. One that is there is not opened: a
 * process that closes a file drops every lock it has on it, SQLite's own among them.
 */
function makeClosed(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
