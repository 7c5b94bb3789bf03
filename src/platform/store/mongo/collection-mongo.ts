import mongoose, { mongo } from 'mongoose';
import type { Connection, Model } from 'mongoose';
import { systemClock } from '../../clock.ts';
import type { Clock } from '../../clock.ts';
import { eachAtOnce } from '../../each-at-once.ts';
import { UnpreparedCollectionError } from '../collection.ts';
import type { Store } from '../collection.ts';
import { DEFAULT_TIMEOUT_MS } from '../collection-timeout.ts';
import { rowCodec } from '../collection-rows.ts';
import { rowShape } from '../collection-spec.ts';
import type { Logger } from '../../log.ts';
import { createMongoCollection, createMongoRawRows } from './mongo-collection.ts';
import { prepareMongoIndexes } from './mongo-indexes.ts';
import { buildModel, nativeIndexes } from './mongo-model.ts';
import type { Document } from './mongo-model.ts';
import { createPersist } from './mongo-persistence.ts';
import type { StoreDriver } from '../store-driver.ts';
import { storeOnDriver } from '../store-on-driver.ts';

export interface MongoStoreOptions {
  /** A connection string, `mongodb:` or `mongodb+srv:`. */
  url: string;
  logger: Logger;
  /** Default: the one in the URL. */
  databaseName?: string;
  /** Says which rows have expired for readers; the server deletes them by its own clock. Default: the system's. */
  clock?: Clock;
  /** How long an operation waits for a server that does not answer. Default: 30 s. */
  timeoutMs?: number;
}

/**
 * The store on MongoDB or a server compatible with it: majority writes with journal, no transactions, upserts or change
 * streams. A server that goes away only delays: see docs/decisions/0002-storage.md.
 */
export function createMongoStore({ clock = systemClock, ...options }: MongoStoreOptions): Store {
  return storeOnDriver(mongoDriver({ ...options, clock }), { clock, logger: options.logger });
}

/** What stands behind {@link createMongoStore}. */
export function mongoDriver(options: MongoStoreOptions): StoreDriver {
  const { url, logger, databaseName, clock = systemClock, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const connection = mongoose.createConnection();
  const persist = createPersist(logger, timeoutMs);
  const models = new Map<string, Model<Document>>();
  let opened = false;
  let isClosed = false;
  /** By a connection of its own: a server that is only busy must not look as if it were away. */
  let pinger: mongo.MongoClient | undefined;

  function modelOf(name: string): Model<Document> {
    if (!opened) throw new Error('prepare the store before use');
    const model = models.get(name);
    if (!model) throw new UnpreparedCollectionError(name);
    return model;
  }

  return {
    kind: 'mongodb',
    async open() {
      await persist('connect', () => openConnection(connection, url, databaseName));
      opened = true;
    },
    create(spec, note) {
      const shape = rowShape(spec);
      const model = () => modelOf(spec.name);
      const codec = rowCodec(spec, note);
      const target = { spec, shape, codec, model, persist, nowMs: () => clock.now(), timeoutMs };
      return { spec, collection: createMongoCollection(target), raw: createMongoRawRows(target) };
    },
    // The server makes a collection with its first index or document.
    createTables(collections) {
      for (const { spec } of collections) models.set(spec.name, buildModel(connection, spec, rowShape(spec)));
      return Promise.resolve();
    },
    async createIndexes(collections) {
      await eachAtOnce(collections, PREPARED_AT_ONCE, ({ spec }) => {
        const declared = nativeIndexes(spec, rowShape(spec));
        const { collection } = modelOf(spec.name);
        return persist(`prepare ${spec.name}`, () => prepareMongoIndexes(collection, declared, logger));
      });
    },
    reading: (work) => work(),
    // Nothing here writes two documents as one: what would be told beside a row could be missing, or come too late.
    changesSince: () => Promise.resolve(undefined),
    async ping() {
      if (!opened || isClosed) throw new Error('prepare the store before use');
      pinger ??= new mongo.MongoClient(url, { ...PATIENCE, maxPoolSize: 1 });
      await pinger.db(databaseName).command({ ping: 1 });
    },
    async close() {
      isClosed = true;
      await Promise.all([connection.close(), pinger?.close()]);
    },
  };
}

/** Collections whose indexes are looked at, and made, at once. */
const PREPARED_AT_ONCE = 4;

const PATIENCE = {
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  socketTimeoutMS: 20_000,
  heartbeatFrequencyMS: 2_000,
};

/** Timeouts are shorter than the timeout of the store, so that there are several attempts within it. */
async function openConnection(connection: Connection, url: string, databaseName: string | undefined): Promise<void> {
  await connection.openUri(url, {
    ...(databaseName === undefined ? {} : { dbName: databaseName }),
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    ...PATIENCE,
    maxPoolSize: 50,
    ignoreUndefined: true,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
  });
}
