import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { randomIds } from '../../../src/platform/clock.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import { createMongoStore } from '../../../src/platform/store/mongo/collection-mongo.ts';
import { noSecurityLog } from '../../../src/platform/security/security-log.ts';
import type { SecurityLog } from '../../../src/platform/security/security-log.ts';
import type { CollectionSpec, Row, Store } from '../../../src/platform/store/collection.ts';
import { dropDatabase as dropDatabaseOf } from '../../support/drop-database.ts';

/** A clock that moves only when told. It starts with the system's, by which a MongoDB server expires rows. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(start = Date.now()): TestClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

export const silent = pino({ level: 'silent' });

const mongodbUrl = process.env['MONGODB_TEST_URL'];

/** An empty store with these collections ready, its clock, and how to be rid of both. */
export interface Installation {
  store: Store;
  clock: TestClock;
  ids: typeof randomIds;
  /** Keeps nothing. */
  security: SecurityLog;
  /** A second connection to the same data, as another process has it; with none of these collections when so asked. */
  another(specs?: readonly unknown[]): Promise<Store>;
  close(): Promise<void>;
}

/** Opens an empty store of its own. */
export async function installation(specs: readonly unknown[], kind: Store['kind'] = 'sqlite'): Promise<Installation> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-directory-'));
  const databaseName = `directory_${randomUUID().replaceAll('-', '')}`;
  const clock = testClock();
  const stores: Store[] = [];
  const open = async (wanted = specs): Promise<Store> => {
    const store =
      kind === 'mongodb'
        ? createMongoStore({ url: mongodbUrl ?? '', databaseName, logger: silent, clock })
        : createEmbeddedStore({ file: join(dir, 'store.db'), logger: silent, clock });
    for (const spec of wanted) store.collection(spec as CollectionSpec<Row>);
    await store.prepare();
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    clock,
    ids: randomIds,
    security: noSecurityLog,
    another: open,
    async close() {
      for (const store of stores) await store.close();
      if (kind === 'mongodb') await dropDatabase(databaseName);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function dropDatabase(databaseName: string): Promise<void> {
  const connection = await mongoose.createConnection(mongodbUrl ?? '', { dbName: databaseName }).asPromise();
  await dropDatabaseOf(connection);
  await connection.close();
}
