import type { FindBlocked } from '../directory/blocked-domain/blocked-domain.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Store } from '../platform/collection.ts';
import type { Logger } from '../platform/log.ts';

/** What every handler of the registry can use. */
export interface RegistryContext {
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Logger;
  findBlocked: FindBlocked;
  /** Versions of the documents that creating an organization accepts. */
  documents: { terms_version: string; privacy_version: string };
  /** The origin (and path, if any) the registry is reached at, without a slash at the end. */
  baseUrl: () => string;
}
