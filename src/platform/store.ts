import { join } from 'node:path';
import { createEmbeddedStore } from './collection-embedded.ts';
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
  if (mongodbUrl !== undefined) throw new Error('the MongoDB store is not part of this build');
  return createEmbeddedStore({ file: join(dataDir, 'store.db'), logger });
}
