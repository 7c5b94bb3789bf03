import mongoose from 'mongoose';
import type { Connection, Model } from 'mongoose';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { Collection, CollectionSpec, Row, Store } from './collection.ts';
import { DEFAULT_PATIENCE_MS } from './collection-patience.ts';
import { rowCodec } from './collection-rows.ts';
import { rowShape } from './collection-spec.ts';
import type { Logger } from './log.ts';
import { createMongoCollection } from './mongo-collection.ts';
import { prepareIndexes } from './mongo-indexes.ts';
import { buildModel, nativeIndexes } from './mongo-model.ts';
import type { Document } from './mongo-model.ts';
import { createPersist } from './mongo-persistence.ts';

export interface MongoStoreOptions {
  /** A connection string, `mongodb:` or `mongodb+srv:`. */
  url: string;
  logger: Logger;
  /** Default: the one in the URL. */
  databaseName?: string;
  /** Says which rows have expired for readers; the server deletes them by its own clock. Default: the system's. */
  clock?: Clock;
  /** How long an operation waits for a server that does not answer. Default: 30 s. */
  patienceMs?: number;
}

/**
 * The store on MongoDB or a server compatible with it: majority writes with journal, no transactions, upserts or change
 * streams. A server that goes away only delays: see docs/decisions/0002-storage.md.
 */
export function createMongoStore(options: MongoStoreOptions): Store {
  const { url, logger, databaseName, clock = systemClock, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const connection = mongoose.createConnection();
  const persist = createPersist(logger, patienceMs);
  const collections = new Map<string, { collection: unknown; prepare: (connection: Connection) => Promise<void> }>();
  const prepared = new Set<string>();
  let opened = false;

  async function prepare(): Promise<void> {
    if (!opened) await persist('connect', () => open(connection, url, databaseName));
    opened = true;
    for (const [name, { prepare: prepareOne }] of collections) {
      if (prepared.has(name)) continue;
      await persist(`prepare ${name}`, () => prepareOne(connection));
      prepared.add(name);
    }
  }

  function create<R extends Row>(spec: CollectionSpec<R>): Collection<R> {
    const shape = rowShape(spec);
    let model: Model<Document> | undefined;
    const use = () => {
      if (!model || !opened) throw new Error('prepare the store before use');
      return model;
    };
    const prepareOne = async () => {
      model ??= buildModel(connection, spec, shape);
      await prepareIndexes(model.collection, nativeIndexes(spec, shape), logger);
    };
    const target = { spec, shape, codec: rowCodec(spec), model: use, persist, nowMs: () => clock.now(), patienceMs };
    const collection = createMongoCollection(target);
    collections.set(spec.name, { collection, prepare: prepareOne });
    return collection;
  }

  let preparing: Promise<void> = Promise.resolve();
  return {
    kind: 'mongodb',
    collection: <R extends Row>(spec: CollectionSpec<R>): Collection<R> =>
      (collections.get(spec.name)?.collection as Collection<R> | undefined) ?? create(spec),
    prepare: () => (preparing = preparing.catch(() => undefined).then(prepare)),
    ping: async () => {
      if (!opened) throw new Error('prepare the store before use');
      await connection.db?.command({ ping: 1 });
    },
    close: async () => {
      await preparing.catch(() => undefined);
      await connection.close();
    },
  };
}

/** Timeouts are shorter than the patience of the store, so that there are several attempts within it. */
async function open(connection: Connection, url: string, databaseName: string | undefined): Promise<void> {
  await connection.openUri(url, {
    ...(databaseName === undefined ? {} : { dbName: databaseName }),
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 3_000,
    socketTimeoutMS: 20_000,
    heartbeatFrequencyMS: 2_000,
    maxPoolSize: 50,
    ignoreUndefined: true,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
  });
}
