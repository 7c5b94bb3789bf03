import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Store } from './collection.ts';
import type { Logger } from '../log.ts';
import type { StoreDriver } from './store-driver.ts';

export interface StoreOptions {
  /** When given, MongoDB is the store, whether it answers or not: never a silent fallback. */
  mongodbUrl?: string | undefined;
  /** Folder of the embedded store's file, `store.db`. */
  dataDir: string;
  logger: Logger;
  /** Says which rows have expired. Default: the system's. */
  clock?: Clock;
}

/** The store that the configuration asks for; only its driver is loaded. Call `prepare()` before use. */
export async function openStore({ mongodbUrl, dataDir, logger, clock }: StoreOptions): Promise<Store> {
  const common = { logger, ...(clock && { clock }) };
  if (mongodbUrl !== undefined) {
    const { createMongoStore } = await import('./mongo/collection-mongo.ts');
    return createMongoStore({ url: mongodbUrl, ...common });
  }
  const { createEmbeddedStore } = await import('./sqlite/collection-embedded.ts');
  return createEmbeddedStore({ file: join(dataDir, 'store.db'), ...common });
}

/** What stands behind it, for what handles rows whatever their schema says. */
export async function storeDriver({ mongodbUrl, dataDir, logger, clock }: StoreOptions): Promise<StoreDriver> {
  const common = { logger, ...(clock && { clock }) };
  if (mongodbUrl !== undefined) {
    const { mongoDriver } = await import('./mongo/collection-mongo.ts');
    return mongoDriver({ url: mongodbUrl, ...common });
  }
  const { embeddedDriver } = await import('./sqlite/collection-embedded.ts');
  return embeddedDriver({ file: join(dataDir, 'store.db'), ...common });
}
