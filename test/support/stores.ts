import { describe, it } from 'vitest';

export type StoreKind = 'sqlite' | 'mongodb';

export const hasMongodb = process.env['MONGODB_TEST_URL'] !== undefined;

/** The stores that are there to be tested on: the embedded one always, MongoDB where there is one. */
export const STORES: readonly StoreKind[] = hasMongodb ? ['sqlite', 'mongodb'] : ['sqlite'];

/**
 * Describes the same of every store; `%s` in the title is its name. Where there is no MongoDB, its tests are shown as
 * skipped, and counted at the end of the run.
 */
export function describeOnStores(title: string, tests: (store: StoreKind) => void): void {
  for (const store of ['sqlite', 'mongodb'] as const) {
    describe.skipIf(!STORES.includes(store))(title.replace('%s', store), () => {
      tests(store);
    });
  }
}

/** One test of every store, likewise. */
export function itOnStores(title: string, test: (store: StoreKind) => Promise<void>, timeoutMs?: number): void {
  for (const store of ['sqlite', 'mongodb'] as const) {
    it.skipIf(!STORES.includes(store))(title.replace('%s', store), () => test(store), timeoutMs);
  }
}
