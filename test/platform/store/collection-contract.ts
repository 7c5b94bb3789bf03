import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Collection, Store } from '../../../src/platform/store/collection.ts';
import { counterContract } from './collection-contract-counter.ts';
import { expiryContract } from './collection-contract-expiry.ts';
import { growthContract } from './collection-contract-growth.ts';
import { indexContract } from './collection-contract-indexes.ts';
import { migrationContract } from './collection-contract-migrations.ts';
import { processContract } from './collection-contract-processes.ts';
import { queryContract } from './collection-contract-queries.ts';
import { toldContract } from './collection-contract-told.ts';
import { writeContract } from './collection-contract-writes.ts';
import { openTarget, Things } from '../support/thing.ts';
import type { OpenOptions, Thing } from '../support/thing.ts';

/** A place of its own for one run's data. */
export interface StorePlace {
  /** For `openTarget`, here or in another process. */
  target: string;
  /** Removes the data. All stores of it are closed. */
  remove(): Promise<void>;
}

/** What the parts of the suite work with. */
export interface Bench {
  /** The same collection as every test has; use ids and groups of {@link fresh}. */
  things: () => Collection<Thing>;
  store: () => Store;
  target: () => string;
  /** A text nobody has used. */
  fresh: () => string;
  /** One more store on the same data, as another process would have it; closed at the end. */
  open: (options?: OpenOptions) => Promise<{ store: Store; things: Collection<Thing> }>;
}

/** Every promise of `Collection` and `Store`, proved over the driver of this place. */
export function collectionContract(driver: string, createPlace: () => Promise<StorePlace>): void {
  describe(`the store on ${driver}`, () => {
    let place: StorePlace;
    let first: { store: Store; things: Collection<Thing> };
    const opened: Store[] = [];

    const open = async (options?: OpenOptions) => {
      const store = openTarget(place.target, options);
      opened.push(store);
      const things = store.collection(Things);
      await store.prepare();
      return { store, things };
    };

    beforeAll(async () => {
      place = await createPlace();
      first = await open();
    });
    afterAll(async () => {
      await Promise.all(opened.map((store) => store.close()));
      await place.remove();
    });

    const bench: Bench = {
      things: () => first.things,
      store: () => first.store,
      target: () => place.target,
      fresh: () => randomUUID(),
      open,
    };
    writeContract(bench);
    queryContract(bench);
    indexContract(bench);
    expiryContract(bench);
    growthContract(bench);
    migrationContract(bench);
    counterContract(bench);
    processContract(bench);
    toldContract(bench);
  });
}
