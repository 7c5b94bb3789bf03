import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { randomIds } from '../../../src/platform/clock.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../../src/platform/collection-embedded.ts';
import type { CollectionSpec, Row, Store } from '../../../src/platform/collection.ts';

/** A clock that moves only when told. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(start = Date.parse('2026-03-01T12:00:00.000Z')): TestClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

export const silent = pino({ level: 'silent' });

/** An empty store with these collections ready, its clock, and how to be rid of both. */
export interface Installation {
  store: Store;
  clock: TestClock;
  ids: typeof randomIds;
  /** A second connection to the same data, as another process has it. */
  another(): Promise<Store>;
  close(): Promise<void>;
}

/** Opens an empty embedded store in a directory of its own. */
export async function installation(specs: readonly unknown[]): Promise<Installation> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-directory-'));
  const clock = testClock();
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = createEmbeddedStore({ file: join(dir, 'store.sqlite'), logger: silent, clock });
    for (const spec of specs) store.collection(spec as CollectionSpec<Row>);
    await store.prepare();
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    clock,
    ids: randomIds,
    another: open,
    async close() {
      for (const store of stores) await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
