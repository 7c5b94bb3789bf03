import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../../src/platform/log.ts';
import { prepareMongoIndexes } from '../../../../src/platform/store/mongo/mongo-indexes.ts';
import type { NativeIndex } from '../../../../src/platform/store/mongo/mongo-model.ts';
import { createMongoPlace, mongoTestUrl } from '../../support/mongo-place.ts';
import type { MongoPlace } from '../../support/mongo-place.ts';

const logger = createLogger('silent');
const byEmail: NativeIndex = { name: 'email', key: { email: 1 }, unique: true };
const byLabel: NativeIndex = { name: 'email', key: { label: 1 }, unique: true };

describe.runIf(mongoTestUrl !== undefined)('indexes on a MongoDB', () => {
  let place: MongoPlace;
  beforeAll(async () => {
    place = await createMongoPlace();
  });
  afterAll(() => place.remove());

  /** A collection, and what was done to its indexes, in order. */
  const collection = () => {
    const rows = place.connection.collection(`rows_${randomUUID().slice(0, 8)}`);
    const done: string[] = [];
    const watched = {
      collectionName: rows.collectionName,
      listIndexes: () => rows.listIndexes(),
      createIndex: async (key: NativeIndex['key'], options: Omit<NativeIndex, 'key'>) => {
        const name = await rows.createIndex(key, options, undefined);
        done.push(`create ${name}`);
        return name;
      },
      createIndexes: async (indexes: NativeIndex[]) => {
        done.push(`create ${(await rows.createIndexes(indexes, {})).join(', ')}`);
      },
      dropIndex: async (name: string) => {
        done.push(`drop ${name}`);
        await rows.dropIndex(name);
      },
    };
    const prepare = (...declared: NativeIndex[]) => prepareMongoIndexes(watched as never, declared, logger);
    const insert = (email: string, label: string) => rows.insertOne({ email, label });
    return { rows, done, prepare, insert };
  };

  it('are dropped only once their successor stands, and made once', async () => {
    const { done, prepare, insert } = collection();
    await prepare(byEmail);
    await prepare(byLabel);
    await prepare(byLabel);
    expect(done).toEqual(['create email', 'create email__2', 'drop email']);
    await insert('a', 'a');
    await insert('a', 'b');
    await expect(insert('b', 'a')).rejects.toMatchObject({ code: 11000 });
    await prepare(byEmail).catch(() => undefined);
    expect(done).toHaveLength(3);
  });

  it('of a collection that is new are made in one command', async () => {
    const { done, prepare, insert } = collection();
    const loose: NativeIndex = { name: 'label', key: { label: 1 } };
    await prepare(byEmail, loose);
    await prepare(byEmail, loose);
    expect(done).toEqual(['create email, label']);
    await insert('a', 'a');
    await expect(insert('a', 'b')).rejects.toMatchObject({ code: 11000 });
  });

  it('that are new come beside one that is declared otherwise', async () => {
    const { rows, done, prepare } = collection();
    const others = ['first', 'second'].map((name): NativeIndex => ({ name, key: { [name]: 1 } }));
    await prepare(byEmail);
    await prepare(byLabel, ...others);
    expect(done).toEqual(['create email', 'create first, second', 'create email__2', 'drop email']);
    expect(await rows.listIndexes().toArray()).toHaveLength(4);
  });

  it('are made by several at once', async () => {
    const { rows, prepare } = collection();
    const loose: NativeIndex = { name: 'label', key: { label: 1 } };
    await Promise.all(Array.from({ length: 4 }, () => prepare(byEmail, loose)));
    expect(await rows.listIndexes().toArray()).toHaveLength(3);
  });

  it('leave nothing behind of those before them', async () => {
    const { rows, prepare } = collection();
    const third: NativeIndex = { name: 'email', key: { third: 1 } };
    for (const declared of [byEmail, byLabel, third]) await prepare(declared);
    const names = (await rows.listIndexes().toArray()).map(({ key }) => JSON.stringify(key));
    expect(names.sort()).toEqual(['{"_id":1}', '{"third":1}']);
  });

  it('whose successor cannot be made stay', async () => {
    const { prepare, insert } = collection();
    await prepare(byEmail);
    await insert('a', 'same');
    await insert('b', 'same');
    await expect(prepare(byLabel)).rejects.toThrow();
    await expect(insert('a', 'other')).rejects.toMatchObject({ code: 11000 });
  });

  it('stay as they are under a new name, and when nobody declares them', async () => {
    const { done, prepare } = collection();
    await prepare(byEmail);
    await prepare({ ...byEmail, name: 'by_email' });
    await prepare();
    expect(done).toEqual(['create email']);
  });

  it('go where one that stands for them, too, takes their name', async () => {
    const { rows, done, prepare } = collection();
    const narrow: NativeIndex = { name: 'email', key: { email: 1 } };
    const wide: NativeIndex = { name: 'email_label', key: { email: 1, label: 1 } };
    await prepare(narrow, wide);
    for (let i = 0; i < 2; i++) await prepare({ ...wide, name: 'email' });
    expect(done).toEqual(['create email, email_label', 'drop email']);
    const keys = (await rows.listIndexes().toArray()).map(({ key }) => JSON.stringify(key));
    expect(keys).toEqual(['{"_id":1}', '{"email":1,"label":1}']);
  });

  it('of the same fields become unique, or not', async () => {
    const { prepare, insert } = collection();
    const { unique: _unique, ...loose } = byEmail;
    await prepare(byEmail);
    await prepare(loose);
    await insert('a', 'a');
    const { insertedId } = await insert('a', 'b');
    expect(insertedId).toBeDefined();
    await expect(prepare(byEmail)).rejects.toThrow();
  });
});
