import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { Collection, CollectionSpec, Row, Store } from './collection.ts';
import { DEFAULT_PATIENCE_MS } from './collection-patience.ts';
import type { Logger } from './log.ts';
import { createEmbeddedCollection } from './sqlite-collection.ts';
import type { EmbeddedCollection, EmbeddedTable } from './sqlite-collection.ts';
import { openConnection, retryWhileBusy } from './sqlite-connection.ts';
import type { Connection } from './sqlite-connection.ts';
import { createWriter } from './sqlite-group-commit.ts';
import type { Writer } from './sqlite-group-commit.ts';

export interface EmbeddedStoreOptions {
  /** Path of the database file; folders on the way are made. SQLite keeps `-wal` and `-shm` files beside it. */
  file: string;
  logger: Logger;
  /** Says which rows have expired. Default: the system's. */
  clock?: Clock;
  /** How long an operation waits for a file that another process has locked. Default: 30 s. */
  patienceMs?: number;
  /** How often expired rows are really deleted. Default: each minute. */
  sweepEveryMs?: number;
}

/**
 * The store in one SQLite file: write-ahead log, writes of one turn of the event loop in one transaction, answered once
 * they are on disk. Several processes may have the file open. See docs/decisions/0002-storage.md.
 */
export function createEmbeddedStore(options: EmbeddedStoreOptions): Store {
  const { file, logger, clock = systemClock, patienceMs = DEFAULT_PATIENCE_MS, sweepEveryMs = 60_000 } = options;
  const collections = new Map<string, EmbeddedTable>();
  let opened: { connection: Connection; writer: Writer } | undefined;
  let sweeper: NodeJS.Timeout | undefined;
  let closed = false;

  const use = () => {
    if (!opened) throw new Error(closed ? 'the store is closed' : 'prepare the store before use');
    return opened;
  };

  async function open(): Promise<{ connection: Connection; writer: Writer }> {
    if (closed) throw new Error('the store is closed');
    mkdirSync(dirname(file), { recursive: true });
    const connection = await retryWhileBusy('open', patienceMs, () => openConnection(file));
    return { connection, writer: createWriter(connection, patienceMs) };
  }

  async function sweep(): Promise<void> {
    for (const collection of collections.values()) {
      try {
        const removed = await collection.sweep();
        if (removed > 0) logger.debug({ collection: collection.spec.name, removed }, 'expired rows deleted');
      } catch (error) {
        if (!closed) logger.warn({ err: error, collection: collection.spec.name }, 'expired rows not deleted');
      }
    }
  }

  let preparing: Promise<void> = Promise.resolve();
  async function prepare(): Promise<void> {
    const { writer } = (opened ??= await open());
    const unprepared = [...collections.values()].filter((collection) => !collection.isPrepared());
    if (unprepared.length > 0)
      await writer.write('prepare', () => {
        for (const collection of unprepared) collection.prepare();
      });
    sweeper ??= setInterval(() => void sweep(), sweepEveryMs).unref();
  }

  return {
    kind: 'sqlite',
    collection: <R extends Row>(spec: CollectionSpec<R>): Collection<R> => {
      const present = collections.get(spec.name) as EmbeddedCollection<R> | undefined;
      if (present) return present;
      const made = createEmbeddedCollection(spec, { use, clock, patienceMs });
      collections.set(spec.name, made);
      return made;
    },
    prepare: () => (preparing = preparing.catch(() => undefined).then(prepare)),
    ping: async () => {
      const { connection } = use();
      await retryWhileBusy('ping', patienceMs, () => connection.all('SELECT count(*) FROM sqlite_master'));
    },
    close: async () => {
      clearInterval(sweeper);
      await preparing.catch(() => undefined);
      await opened?.writer.idle();
      closed = true;
      await opened?.connection.close();
      opened = undefined;
    },
  };
}
