import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import { thing, Things } from '../support/thing.ts';

const logger = createLogger('silent');
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'store-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

describe('the configured store', () => {
  it('is a file in the data folder when no MongoDB is named', async () => {
    const store = await openStore({ dataDir, logger });
    await store.prepare();
    expect(store.kind).toBe('sqlite');
    expect(await readdir(dataDir)).toContain('store.db');
    await store.close();
  });

  it('is MongoDB when one is named, though it does not answer, and the data folder stays empty', async () => {
    const store = await openStore({ mongodbUrl: 'mongodb://127.0.0.1:1/x', dataDir, logger });
    expect(store.kind).toBe('mongodb');
    expect(await readdir(dataDir)).toEqual([]);
    await store.close();
  });
});

describe('hooks around a store', () => {
  it('are called before and after each write, in order, with its number, and not for reads', async () => {
    const store = await openStore({ dataDir, logger });
    const seen: string[] = [];
    const hooked = withStoreHooks(store, {
      before: async ({ n, kind, collection, key }) => {
        const present = (await store.collection(Things).get(key)) !== undefined;
        seen.push(`${n} before ${kind} ${collection} ${key} ${present ? 'there' : 'absent'}`);
      },
      after: async ({ n, kind, collection, key }) => {
        const present = (await store.collection(Things).get(key)) !== undefined;
        seen.push(`${n} after ${kind} ${collection} ${key} ${present ? 'there' : 'absent'}`);
      },
    });
    const things = hooked.collection(Things);
    await hooked.prepare();
    const row = thing('a');
    await things.insert(row);
    await things.replace(row);
    await things.update('a', (found) => found);
    await things.get('a');
    await things.insertMany([thing('b'), thing('c')]);
    await things.delete('b');
    await hooked.close();
    expect(seen).toEqual([
      '1 before insert things a absent',
      '1 after insert things a there',
      '2 before replace things a there',
      '2 after replace things a there',
      '3 before update things a there',
      '3 after update things a there',
      '4 before insertMany things b absent',
      '4 after insertMany things b there',
      '5 before delete things b there',
      '5 after delete things b absent',
    ]);
  });

  it('that throw before a write keep it from happening', async () => {
    const store = withStoreHooks(await openStore({ dataDir, logger }), {
      before: () => {
        throw new Error('stop');
      },
    });
    const things = store.collection(Things);
    await store.prepare();
    await expect(things.insert(thing('a'))).rejects.toThrow('stop');
    expect(await things.get('a')).toBeUndefined();
    await store.close();
  });
});
