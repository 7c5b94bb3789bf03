import { join } from 'node:path';
import { createEmbeddedStore } from './collection-embedded.ts';
import { createMongoStore } from './collection-mongo.ts';
import type { Store } from './collection.ts';
import type { Logger } from './log.ts';

export interface StoreOptions {
  /** When given, MongoDB is the store, whether it answers or not: never a silent fallback. */
  mongodbUrl?: string | undefined;
  /** Folder of the embedded store's file, `store.db`. */
  dataDir: string;
  logger: Logger;
}

/** The store that the configuration asks for. Call `prepare()` before use. */
export function openStore({ mongodbUrl, dataDir, logger }: StoreOptions): Store {
  if (mongodbUrl !== undefined) return createMongoStore({ url: mongodbUrl, logger });
  return createEmbeddedStore({ file: join(dataDir, 'store.db'), logger });
}
