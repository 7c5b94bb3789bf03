import { join } from 'node:path';
import type { Store } from './collection.ts';
import type { Logger } from './log.ts';

export interface StoreOptions {
  /** When given, MongoDB is the store, whether it answers or not: never a silent fallback. */
  mongodbUrl?: string | undefined;
  /** Folder of the embedded store's file, `store.db`. */
  dataDir: string;
  logger: Logger;
}

/** The store that the configuration asks for; only its driver is loaded. Call `prepare()` before use. */
export async function openStore({ mongodbUrl, dataDir, logger }: StoreOptions): Promise<Store> {
  if (mongodbUrl !== undefined) {
    const { createMongoStore } = await import('./collection-mongo.ts');
    return createMongoStore({ url: mongodbUrl, logger });
  }
  const { createEmbeddedStore } = await import('./collection-embedded.ts');
  return createEmbeddedStore({ file: join(dataDir, 'store.db'), logger });
}
