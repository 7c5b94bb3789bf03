import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { Store } from './collection.ts';
import type { Logger } from '../log.ts';
import type { StoreDriver } from './store-driver.ts';
import { storeOnDriver } from './store-on-driver.ts';

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
export async function openStore(options: StoreOptions): Promise<Store> {
  const { logger, clock = systemClock } = options;
  return storeOnDriver(await storeDriver(options), { clock, logger });
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
