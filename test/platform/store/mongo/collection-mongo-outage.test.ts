import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StoreUnavailableError } from '../../../../src/platform/store/collection.ts';
import type { Collection, CollectionSpec, Store } from '../../../../src/platform/store/collection.ts';
import { createMongoPlace, mongoTestUrl } from '../../support/mongo-place.ts';
import type { MongoPlace } from '../../support/mongo-place.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { addByUpdate, openTarget, Thing, thing, Things } from '../../support/thing.ts';
import type { OpenOptions } from '../../support/thing.ts';

describe.runIf(mongoTestUrl !== undefined)('a MongoDB behind a failing network', () => {
  let place: MongoPlace;
  let proxy: TcpProxy;
  let stores: Store[];
  /** By way of the proxy. */
  let things: Collection<Thing>;
  /** Another process, with a network of its own. */
  let others: Collection<Thing>;

  const open = async (target: string, options?: OpenOptions) => {
    const store = openTarget(target, options);
    stores.push(store);
    const collection = store.collection(Things);
    await store.prepare();
    return collection;
  };

  beforeEach(async () => {
    stores = [];
    place = await createMongoPlace();
    proxy = await startTcpProxy(place.target);
    others = await open(place.target);
    things = await open(proxy.url);
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await proxy.close();
    await place.remove();
  });

  it('only delays what is asked of it while it is away for ten seconds', async () => {
    await things.insertMany([thing('counter', { rank: 0 }), thing('old')]);
    const insert = (at: number) => things.insert(thing(`new-${at}`, { group: 'new' }));
    const early = Array.from({ length: 20 }, (_, at) => insert(at));
    await proxy.cut();
    const late = Array.from({ length: 20 }, (_, at) => insert(at + 20));
    const updates = Array.from({ length: 20 }, () => addByUpdate(things, 'counter'));
    const others = [
      things.get('old'),
      things.delete('old'),
      things.find({ where: { group: 'new' } }),
      things.insertMany(Array.from({ length: 1500 }, (_, at) => thing(`many-${at}`))),
    ];
    await delay(10_000);
    await proxy.restore();

    expect((await Promise.all([...early, ...late])).every((outcome) => outcome.inserted)).toBe(true);
    await Promise.all(updates);
    expect((await Promise.all(others))[3]).toBe(1500);
    expect(await things.count({ group: 'new' })).toBe(40);
    expect(await things.get('counter')).toMatchObject({ rank: 20, revision: 21 });
    expect(await things.get('old')).toBeUndefined();
  });

  it('is waited for when it is not there yet', async () => {
    await proxy.cut();
    const opening = open(proxy.url);
    await expect(open(proxy.url, { timeoutMs: 100 })).rejects.toThrow(StoreUnavailableError);
    await proxy.restore();
    const late = await opening;
    expect(await late.insert(thing('one'))).toEqual({ inserted: true });
  });

  it('is given up on once patience is over, and works again when it is back', async () => {
    const hasty = await open(proxy.url, { timeoutMs: 100 });
    await proxy.cut();
    await expect(hasty.insert(thing('one'))).rejects.toThrow(StoreUnavailableError);
    await expect(hasty.update('one', (row) => row)).rejects.toThrow(StoreUnavailableError);
    await proxy.restore();
    expect(await hasty.insert(thing('two'))).toEqual({ inserted: true });
  });

  describe('when the answer to a write is lost', () => {
    const change = (id: string) => others.update(id, (row) => ({ ...row, label: `${row.label}+` }));

    it('an insert is known as its own', async () => {
      const lost = proxy.loseAnswerTo('insert');
      expect(await things.insert(thing('one'))).toEqual({ inserted: true });
      await lost;
    });

    it('an insert is known as its own even when another process has written the row since', async () => {
      const lost = proxy.loseAnswerTo('insert', () => change('one'));
      expect(await things.insert(thing('one', { label: 'a' }))).toEqual({ inserted: true });
      await lost;
      expect(await things.get('one')).toMatchObject({ label: 'a+', revision: 2 });
    });

    it("another process's row, though the same in all its fields, is still a duplicate", async () => {
      await others.insert(thing('one', { email: 'same' }));
      const lostByKey = proxy.loseAnswerTo('insert');
      expect(await things.insert(thing('one', { email: 'same' }))).toEqual({ inserted: false, duplicate: 'key' });
      await lostByKey;
      const lostByIndex = proxy.loseAnswerTo('insert');
      expect(await things.insert(thing('two', { email: 'same' }))).toEqual({ inserted: false, duplicate: 'email' });
      await lostByIndex;
    });

    it('the rows of an insert of many are counted once', async () => {
      await others.insert(thing('many-1'));
      const lost = proxy.loseAnswerTo('insert', () => change('many-2'));
      expect(await things.insertMany([1, 2, 3, 3].map((at) => thing(`many-${at}`)))).toBe(2);
      await lost;
    });

    it('a replace is known as its own, also when another process has written the row since', async () => {
      const row = thing('one', { label: 'a' });
      await things.insert(row);
      const lost = proxy.loseAnswerTo('update');
      expect(await things.replace({ ...row, rank: 1 })).toEqual({ ...row, rank: 1, revision: 2 });
      await lost;
      const lostAgain = proxy.loseAnswerTo('update', () => change('one'));
      expect(await things.replace({ ...row, rank: 2, revision: 2 })).toMatchObject({ rank: 2, revision: 3 });
      await lostAgain;
      expect(await things.get('one')).toMatchObject({ rank: 2, label: 'a+', revision: 4 });
    });

    it('a replace of a row that counts its writes elsewhere is known as its own all the same', async () => {
      const Counted = Thing.extend({ writes: z.number() });
      const named = { name: 'counted_things', key: 'thing_id', schema: Counted, indexes: [] } as const;
      const spec: CollectionSpec<z.infer<typeof Counted>> = {
        ...named,
        counter: 'writes',
        onChange: (_before, after) => after,
      };
      const [counted, elsewhere] = await Promise.all(
        [proxy.url, place.target].map(async (target) => {
          const store = openTarget(target);
          stores.push(store);
          const rows = store.collection(spec);
          await store.prepare();
          return rows;
        }),
      );
      if (!counted || !elsewhere) throw new Error('no collections');
      const row = { ...thing('one'), revision: 40, writes: 1 };
      await counted.insert(row);
      const more = () => elsewhere.update('one', (found) => ({ ...found, label: 'b' }));
      const lost = proxy.loseAnswerTo('update', more);
      expect(await counted.replace({ ...row, rank: 1 })).toEqual({ ...row, rank: 1, writes: 2 });
      await lost;
      expect(await counted.get('one')).toEqual({ ...row, rank: 1, label: 'b', writes: 3 });
      await expect(counted.replace({ ...row, rank: 2 })).resolves.toBeUndefined();
    });

    it('a replace that came second is known as that', async () => {
      const row = thing('one', { label: 'a' });
      await things.insert(row);
      await change('one');
      const lost = proxy.loseAnswerTo('update');
      expect(await things.replace({ ...row, rank: 1 })).toBeUndefined();
      await lost;
    });

    it('an update changes the row once', async () => {
      await things.insert(thing('one', { rank: 0 }));
      const lost = proxy.loseAnswerTo('update', () => change('one'));
      await addByUpdate(things, 'one');
      await lost;
      expect(await things.get('one')).toMatchObject({ rank: 1, revision: 3 });
    });

    it('a write that can no longer be told from others ends as a fault, never as a guess', async () => {
      const row = thing('one');
      await things.insert(row);
      const lost = proxy.loseAnswerTo('update', async () => {
        for (let n = 0; n < 16; n++) await change('one');
      });
      await expect(things.replace({ ...row, rank: 1 })).rejects.toThrow(StoreUnavailableError);
      await lost;
    });

    it('a delete is known by the row being gone', async () => {
      await things.insert(thing('one'));
      const lost = proxy.loseAnswerTo('delete');
      expect(await things.delete('one')).toBe(true);
      await lost;
      const lostAgain = proxy.loseAnswerTo('delete', () => others.insert(thing('one')));
      expect(await things.delete('one', 7)).toBe(false);
      await lostAgain;
    });
  });
});
