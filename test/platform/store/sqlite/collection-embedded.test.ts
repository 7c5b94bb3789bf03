import Database from 'libsql';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../../../src/platform/clock.ts';
import { StoreUnavailableError } from '../../../../src/platform/store/collection.ts';
import type { Store } from '../../../../src/platform/store/collection.ts';
import { until } from '../../../support/until.ts';
import { collectionContract } from '../collection-contract.ts';
import { startChild } from '../../support/child.ts';
import { addByUpdate, openTarget, thing, Things, toNewLabel } from '../../support/thing.ts';
import type { OpenOptions } from '../../support/thing.ts';

const createFolder = () => mkdtemp(join(tmpdir(), 'store-'));

collectionContract('SQLite', async () => {
  const folder = await createFolder();
  return { target: join(folder, 'data', 'store.db'), remove: () => rm(folder, { recursive: true }) };
});

describe('the embedded store', () => {
  let file: string;
  let stores: Store[];

  beforeEach(async () => {
    stores = [];
    file = join(await createFolder(), 'store.db');
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await rm(join(file, '..'), { recursive: true });
  });

  const open = async (options?: OpenOptions) => {
    const store = openTarget(file, options);
    stores.push(store);
    const things = store.collection(Things);
    await store.prepare();
    return things;
  };
  const lock = async (ms: number) => {
    const holder = await startChild('sqlite-lock.ts', file, String(ms));
    await holder.line((line) => line === 'locked');
    return holder;
  };

  it('only delays what is asked of it while another process locks the file for ten seconds, and the process goes on', async () => {
    const things = await open();
    await things.insertMany([thing('counter', { rank: 0 }), thing('old')]);
    const holder = await lock(10_000);
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const inserts = Array.from({ length: 50 }, (_, at) => things.insert(thing(`new-${at}`, { group: 'new' })));
    const updates = Array.from({ length: 50 }, () => addByUpdate(things, 'counter'));
    const many = things.insertMany(Array.from({ length: 2000 }, (_, at) => thing(`many-${at}`)));
    const removed = things.delete('old');
    expect(await things.get('counter')).toMatchObject({ rank: 0 });

    expect((await Promise.all(inserts)).every((outcome) => outcome.inserted)).toBe(true);
    await Promise.all(updates);
    expect(await many).toBe(2000);
    expect(await removed).toBe(true);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(100);
    expect(await holder.ended).toBe(0);
    expect(await things.count({ group: 'new' })).toBe(50);
    expect(await things.get('counter')).toMatchObject({ rank: 50 });
  });

  it('refuses a key that is no text, which would end the process in the driver', async () => {
    const things = await open();
    await things.insert(thing('a'));
    for (const key of [true, undefined, null, {}]) await expect(things.get(key as never)).rejects.toThrow(TypeError);
    expect(await things.get('a')).toMatchObject({ thing_id: 'a' });
  });

  it('waits for a locked file when it is opened', async () => {
    await open();
    const holder = await lock(500);
    const things = await open();
    expect(await things.insert(thing('one'))).toEqual({ inserted: true });
    expect(await holder.ended).toBe(0);
  });

  it('keeps its locks when the file is opened once more in the same process: another that closes it leaves the log', async () => {
    const things = await open();
    await things.insert(thing('one'));
    await open();
    const other = await lock(0);
    // The last to close a database removes its log; this process still writes to it.
    expect(await other.ended).toBe(0);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await things.insert(thing('two'));
    const seen = await open();
    expect((await seen.getMany(['one', 'two'])).map(({ thing_id }) => thing_id)).toEqual(['one', 'two']);
  });

  it('gives up on a file that stays locked beyond its patience, and works again afterwards', async () => {
    const things = await open({ timeoutMs: 200 });
    const holder = await lock(60_000);
    await expect(things.insert(thing('one'))).rejects.toThrow(StoreUnavailableError);
    holder.kill();
    await holder.ended;
    expect(await things.insert(thing('two'))).toEqual({ inserted: true });
    expect(await things.get('one')).toBeUndefined();
  });

  it('fails only the write that is refused, of many in one turn', async () => {
    const things = await open();
    const rows = Array.from({ length: 100 }, (_, at) => thing(`row-${at}`, at % 10 === 0 ? { email: 'same' } : {}));
    const outcomes = await Promise.all(rows.map((row) => things.insert(row)));
    expect(outcomes.filter((outcome) => outcome.inserted)).toHaveLength(91);
    expect(await things.getMany(rows.map((row) => row.thing_id))).toHaveLength(91);
  });

  it('keeps an index whose successor cannot be made, and changes none', async () => {
    const before = await open();
    await before.insertMany([thing('a', { label: 'same', email: 'a' }), thing('b', { label: 'same', email: 'b' })]);
    const changed = openTarget(file);
    stores.push(changed);
    changed.collection({ ...Things, indexes: [{ name: 'email', fields: ['label'], unique: true }] });
    await expect(changed.prepare()).rejects.toThrow();
    expect(await before.insert(thing('c', { email: 'a' }))).toEqual({ inserted: false, duplicate: 'email' });
  });

  it('[S6] migrates past a row whose revision is not the one it is stored with, and leaves that as it is', async () => {
    const before = await open();
    await before.insertMany([thing('a'), thing('bad'), thing('c')]);
    const db = new Database(file);
    db.exec("UPDATE things SET revision = 7 WHERE key = 'bad'");
    db.close();
    const newer = openTarget(file);
    stores.push(newer);
    const things = newer.collection({ ...Things, version: 2, migrations: [toNewLabel] });
    await newer.prepare();
    const labels = (await things.getMany(['a', 'bad', 'c'])).map(({ thing_id, label }) => [thing_id, label]);
    expect(Object.fromEntries(labels)).toEqual({ a: 'new', bad: 'bad', c: 'new' });
  });

  it('really deletes expired rows after a while', async () => {
    let now = Date.now();
    const things = await open({ clock: { now: () => now }, sweepEveryMs: 5 });
    const expiring = Array.from({ length: 1200 }, (_, at) =>
      thing(`gone-${at}`, { expires_at: toTimestamp(now + 1000) }),
    );
    await things.insertMany([...expiring, thing('kept')]);
    const db = new Database(file);
    const keys = () => db.prepare('SELECT key FROM things').all().length;
    expect(keys()).toBe(1201);
    now += 1000;
    await until(() => keys() === 1);
    db.close();
    expect(await things.get('kept')).toBeDefined();
  });
});
