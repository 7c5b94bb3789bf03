import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/platform/store/collection.ts';
import { openConnection } from '../../../../src/platform/store/sqlite/sqlite-connection.ts';
import type { Connection } from '../../../../src/platform/store/sqlite/sqlite-connection.ts';
import { MOST_TOLD } from '../../../../src/platform/store/sqlite/sqlite-told-changes.ts';
import { aboutRows } from '../../../../src/platform/store/told-changes.ts';
import { openTarget, thing, Things } from '../../support/thing.ts';

describe('what the embedded store tells of its writes', () => {
  let dir = '';
  let store: Store;
  /** Another program with the same file, such as another release. */
  let hand: Connection;

  const open = async (): Promise<Store> => {
    const opened = openTarget(join(dir, 'store.db'));
    opened.collection(Things);
    await opened.prepare();
    return opened;
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'told-'));
    store = await open();
    hand = openConnection(join(dir, 'store.db'));
  });
  afterEach(async () => {
    await hand.close();
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });

  const begin = async (): Promise<number> => (await store.changesSince(undefined))?.mark ?? NaN;

  it('is told of what another program writes, within its transaction and not before', async () => {
    const id = randomUUID();
    const mark = await begin();
    hand.exec('BEGIN IMMEDIATE');
    hand.run('INSERT INTO things (key, revision, body) VALUES (?, 1, ?)', [id, JSON.stringify(thing(id))]);
    expect(await store.changesSince(mark)).toEqual({ mark, touched: [] });
    hand.exec('COMMIT');
    const touched = [aboutRows('things', 'thing_id', id), aboutRows('things', 'group', 'none')];
    expect(await store.changesSince(mark)).toEqual({ mark: mark + 1, touched });
    hand.exec(`BEGIN; DELETE FROM things; ROLLBACK`);
    expect(await store.changesSince(mark + 1)).toEqual({ mark: mark + 1, touched: [] });
  });

  it('keeps nobody from writing, and sees what comes after it, whether there was something to tell or not', async () => {
    const write = (id: string) =>
      hand.run('INSERT INTO things (key, revision, body) VALUES (?, 1, ?)', [id, JSON.stringify(thing(id))]);
    let mark = await begin();
    for (const isNews of [false, true, true, false]) {
      if (isNews) write(randomUUID());
      const told = await store.changesSince(mark);
      expect(told?.mark).toBe(isNews ? mark + 1 : mark);
      // Of another program, and then of this one: from a snapshot that is kept, SQLite lets nobody write.
      write(randomUUID());
      expect((await store.collection(Things).insert(thing(randomUUID()))).inserted).toBe(true);
      expect(hand.all('PRAGMA wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }]);
      const after = await store.changesSince(told?.mark);
      expect(after?.mark).toBe((told?.mark ?? NaN) + 2);
      mark = after?.mark ?? NaN;
    }
  });

  it('remembers so many, and says of more only that anything may be otherwise', async () => {
    const things = store.collection(Things);
    const mark = await begin();
    await things.insertMany(Array.from({ length: MOST_TOLD - 1 }, (_, i) => thing(`thing-${i}`)));
    expect((await store.changesSince(mark))?.touched).toHaveLength(2 * (MOST_TOLD - 1));
    await things.insert(thing('one more'));
    expect(await store.changesSince(mark)).toEqual({ mark: mark + MOST_TOLD, touched: undefined });
    expect(hand.all('SELECT count(*) AS n FROM "_changes"')).toEqual([{ n: MOST_TOLD }]);
  });

  it('is nothing any more where another release has put other triggers in its place, until they are its own again', async () => {
    const mark = await begin();
    const other = openTarget(join(dir, 'store.db'));
    other.collection({ ...Things, tells: ['group'] });
    await other.prepare();
    expect(await store.changesSince(mark)).toBeUndefined();
    expect(await store.changesSince(undefined)).toBeUndefined();
    await other.close();
    const own = await open();
    expect(await store.changesSince(mark)).toMatchObject({ touched: undefined });
    await own.close();
  });
});
