import { randomUUID } from 'node:crypto';
import { hasMongodb } from '../../support/stores.ts';
import type { StoreKind } from '../../support/stores.ts';

/** A database of its own for a test of the edge; undefined for the embedded store. */
export function databaseOf(store: StoreKind): string | undefined {
  if (store === 'sqlite' || !hasMongodb) return undefined;
  const url = new URL(process.env['MONGODB_TEST_URL'] ?? '');
  url.pathname = `/a2a-${randomUUID().slice(0, 8)}`;
  return url.href;
}
