import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../../src/platform/log.ts';
import { createMongoStore } from '../../../../src/platform/store/mongo/collection-mongo.ts';
import { StoreUnavailableError } from '../../../../src/platform/store/collection.ts';
import type { Collection, Store } from '../../../../src/platform/store/collection.ts';
import { AppError } from '../../../../src/platform/errors.ts';
import { collectionContract } from '../collection-contract.ts';
import { createMongoPlace, mongoTestUrl } from '../../support/mongo-place.ts';
import type { MongoPlace } from '../../support/mongo-place.ts';
import { openTarget, thing, Things, toNewLabel } from '../../support/thing.ts';
import type { Thing } from '../../support/thing.ts';

describe.runIf(mongoTestUrl !== undefined)('with a MongoDB', () => {
  collectionContract('MongoDB', createMongoPlace);

  describe('the MongoDB store', () => {
    let place: MongoPlace;
    let store: Store;
    let things: Collection<Thing>;

    beforeAll(async () => {
      place = await createMongoPlace();
      store = openTarget(place.target);
      things = store.collection(Things);
      await store.prepare();
    });
    afterAll(async () => {
      await store.close();
      await place.remove();
    });

    it('keeps rows as flat documents in their own spelling, with the key also as _id', async () => {
      const row = thing('plain', { rank: 2, body: { a: [1] }, expires_at: '2999-01-01T00:00:00.000Z' });
      await things.insert(row);
      const document = await place.connection.collection('things').findOne({ label: 'plain' });
      const hidden = { _expires_at: new Date('2999-01-01T00:00:00.000Z'), _writes: [expect.any(String)] };
      expect(document).toEqual({ _id: 'plain', ...row, ...hidden });
    });

    it('declares its indexes to the server: unique, partial, and one that deletes what has expired', async () => {
      const indexes = await place.connection.collection('things').listIndexes().toArray();
      const byName = new Map(indexes.map((index) => [(index as { name: string }).name, index as unknown]));
      expect(byName.get('by_rank')).toMatchObject({ key: { group: 1, rank: 1, _id: 1 } });
      expect(byName.get('open_label')).toMatchObject({ unique: true, partialFilterExpression: { open: true } });
      expect(byName.get('_expires')).toMatchObject({ key: { _expires_at: 1 }, expireAfterSeconds: 0 });
    });

    it('takes the expiry from the server with the expiry of the row', async () => {
      await things.insert(thing('freed', { expires_at: '2999-01-01T00:00:00.000Z' }));
      await things.update('freed', (row) => ({ ...row, expires_at: null }));
      const document = await place.connection.collection('things').findOne({ label: 'freed' });
      expect(document).not.toHaveProperty('_expires_at');
    });

    it('[S6] migrates past a row whose revision is no number, and leaves that as it is', async () => {
      const own = await createMongoPlace();
      const stores = [openTarget(own.target), openTarget(own.target)] as const;
      const before = stores[0].collection(Things);
      await stores[0].prepare();
      await before.insertMany([thing('a'), thing('bad'), thing('c')]);
      const documents = own.connection.collection<{ _id: string }>('things');
      await documents.updateOne({ _id: 'bad' }, { $set: { revision: 'seven' } });
      stores[1].collection({ ...Things, version: 2, migrations: [toNewLabel] });
      await stores[1].prepare();
      const found = (await documents.find().toArray()) as unknown as Thing[];
      const labels = found.map(({ thing_id, label }) => [thing_id, label]);
      expect(Object.fromEntries(labels)).toEqual({ a: 'new', bad: 'bad', c: 'new' });
      for (const one of stores) await one.close();
      await own.remove();
    });

    it('remembers no more writes of a row than it needs', async () => {
      await things.insert(thing('often', { rank: 0 }));
      for (let n = 0; n < 40; n++) await things.update('often', (row) => ({ ...row, rank: n }));
      const document = await place.connection.collection('things').findOne({ label: 'often' });
      expect(document?.['_writes']).toHaveLength(16);
    });

    it.each<[string, unknown]>([
      ['a zero character', { 'a\u0000b': 1 }],
      ['the name BSON keeps for itself', { _bsontype: 'ObjectId' }],
    ])('refuses a property name with %s as the mistake of who sent it', async (_, body) => {
      const insert = things.insert(thing('odd', { body }));
      await expect(insert).rejects.toThrow(AppError);
      await expect(things.insertMany([thing('odd', { body })])).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      expect(await things.get('odd')).toBeUndefined();
    });
  });
});

describe('a MongoDB that is not there', () => {
  it('fails the preparation, once patience is over, and nothing else takes its place', async () => {
    const url = 'mongodb://127.0.0.1:1/nothing';
    const store = createMongoStore({ url, logger: createLogger('silent'), timeoutMs: 100 });
    const things = store.collection(Things);
    await expect(store.prepare()).rejects.toThrow(StoreUnavailableError);
    await expect(things.get('any')).rejects.toThrow('prepare');
    await store.close();
  });
});
