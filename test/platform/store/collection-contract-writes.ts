import { describe, expect, it } from 'vitest';
import { DuplicateError } from '../../../src/platform/store/collection.ts';
import type { Bench } from './collection-contract.ts';
import { Things, thing } from '../support/thing.ts';

export function writeContract({ things, store, fresh, open }: Bench): void {
  describe('writing', () => {
    it('stores a row with revision 1, whatever revision it came with', async () => {
      const row = thing(fresh(), { revision: 7, rank: 3 });
      expect(await things().insert(row)).toEqual({ inserted: true });
      expect(await things().get(row.thing_id)).toEqual({ ...row, revision: 1 });
    });

    it('keeps any JSON as it was', async () => {
      const text = `{"$schema":1,"$set":{"a.b":{"":[null,true,-0.5,1e300,9007199254740991]}},"10":"\\u0000ü😀'\\"","constructor":{},"__proto__":{"a":1}}`;
      const row = thing(fresh(), { body: JSON.parse(text) });
      await things().insert(row);
      await things().update(row.thing_id, (found) => ({ ...found, rank: 1 }));
      expect(JSON.stringify((await things().get(row.thing_id))?.body)).toBe(JSON.stringify(row.body));
    });

    it('answers a duplicate key as a duplicate and leaves the stored row alone', async () => {
      const row = thing(fresh(), { label: 'first' });
      await things().insert(row);
      expect(await things().insert({ ...row, label: 'second' })).toEqual({ inserted: false, duplicate: 'key' });
      expect(await things().get(row.thing_id)).toEqual(row);
    });

    it('lets one of 50 racing inserts of a key win', async () => {
      const id = fresh();
      const other = await open();
      const racers = Array.from({ length: 50 }, (_, rank) =>
        (rank % 2 === 0 ? things() : other.things).insert(thing(id, { rank })),
      );
      const outcomes = await Promise.all(racers);
      const winner = outcomes.findIndex((outcome) => outcome.inserted);
      expect(outcomes.filter((outcome) => outcome.inserted)).toHaveLength(1);
      expect((await things().get(id))?.rank).toBe(winner);
    });

    it('replaces a row only over the revision it was read with', async () => {
      const row = thing(fresh());
      await things().insert(row);
      expect(await things().replace({ ...row, rank: 1 })).toEqual({ ...row, rank: 1, revision: 2 });
      expect(await things().replace({ ...row, rank: 9 })).toBeUndefined();
      expect(await things().replace(thing(fresh()))).toBeUndefined();
      expect(await things().get(row.thing_id)).toEqual({ ...row, rank: 1, revision: 2 });
    });

    it('tells whether a row is still the one that was read', async () => {
      const row = thing(fresh());
      expect(await things().isCurrent(row)).toBe(false);
      await things().insert(row);
      expect(await things().isCurrent(row)).toBe(true);
      const { things: others } = await open();
      await others.update(row.thing_id, (found) => ({ ...found, rank: 5 }));
      expect(await things().isCurrent(row)).toBe(false);
      expect(await things().isCurrent({ ...row, revision: 2 })).toBe(true);
      await things().delete(row.thing_id);
      expect(await things().isCurrent({ ...row, revision: 2 })).toBe(false);
    });

    it('lets one of 50 racing replaces of a revision win', async () => {
      const row = thing(fresh());
      await things().insert(row);
      const other = await open();
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, rank) => (rank % 2 === 0 ? things() : other.things).replace({ ...row, rank })),
      );
      expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    });

    it('removes a field that the new row lacks', async () => {
      const row = thing(fresh(), { email: `${fresh()}@example.com` });
      await things().insert(row);
      const { email: _, ...without } = row;
      await things().replace(without);
      expect(await things().get(row.thing_id)).toEqual({ ...without, revision: 2 });
    });

    it('updates by a function, and tells whether that changed anything', async () => {
      const row = thing(fresh(), { rank: 1 });
      await things().insert(row);
      const changed = { row: { ...row, rank: 2, revision: 2 }, changed: true };
      expect(await things().update(row.thing_id, (found) => ({ ...found, rank: 2, revision: 99 }))).toEqual(changed);
      expect(await things().update(row.thing_id, () => undefined)).toEqual({ ...changed, changed: false });
      expect(await things().update(fresh(), (found) => found)).toBeUndefined();
    });

    it('loses none of 50 racing updates', async () => {
      const id = fresh();
      await things().insert(thing(id, { rank: 0 }));
      const add = () => things().update(id, (row) => ({ ...row, rank: (row.rank ?? 0) + 1 }));
      await Promise.all(Array.from({ length: 50 }, add));
      expect(await things().get(id)).toMatchObject({ rank: 50, revision: 51 });
    });

    it('passes on what the function of an update throws, and writes nothing', async () => {
      const row = thing(fresh());
      await things().insert(row);
      const update = things().update(row.thing_id, () => {
        throw new Error('no such move');
      });
      await expect(update).rejects.toThrow('no such move');
      expect(await things().get(row.thing_id)).toEqual(row);
    });

    it('refuses to change the key of a row', async () => {
      const row = thing(fresh());
      await things().insert(row);
      await expect(things().update(row.thing_id, (found) => ({ ...found, thing_id: fresh() }))).rejects.toThrow('key');
    });

    it('deletes a row once, and only of the revision that was asked for', async () => {
      const row = thing(fresh());
      await things().insert(row);
      expect(await things().delete(row.thing_id, 2)).toBe(false);
      expect(await things().delete(row.thing_id, 1)).toBe(true);
      expect(await things().delete(row.thing_id)).toBe(false);
      expect(await things().get(row.thing_id)).toBeUndefined();
    });

    it('names the unique index that a row would break', async () => {
      const email = `${fresh()}@example.com`;
      await things().insert(thing(fresh(), { email }));
      const second = thing(fresh());
      expect(await things().insert({ ...second, email })).toEqual({ inserted: false, duplicate: 'email' });
      await things().insert(second);
      await expect(things().replace({ ...second, email })).rejects.toThrow(DuplicateError);
      const update = things().update(second.thing_id, (row) => ({ ...row, email }));
      await expect(update).rejects.toMatchObject({ duplicate: 'email' });
      expect(await things().get(second.thing_id)).toEqual(second);
    });

    it('lets any number of rows have no value, missing or null, in a unique index', async () => {
      const rows = [thing(fresh()), thing(fresh()), thing(fresh(), { email: null }), thing(fresh(), { email: null })];
      for (const row of rows) expect(await things().insert(row)).toEqual({ inserted: true });
    });

    it('holds a partial unique index among the rows it is for, as they come and go', async () => {
      const group = fresh();
      const [one, two] = [
        thing(fresh(), { group, label: 'same', open: true }),
        thing(fresh(), { group, label: 'same' }),
      ];
      await things().insert(one);
      expect(await things().insert(two)).toEqual({ inserted: true });
      expect(await things().insert({ ...two, thing_id: fresh(), open: true })).toMatchObject({
        duplicate: 'open_label',
      });
      const reopen = () => things().update(two.thing_id, (row) => ({ ...row, open: true }));
      await expect(reopen()).rejects.toMatchObject({ duplicate: 'open_label' });
      await things().update(one.thing_id, (row) => ({ ...row, open: false }));
      expect(await reopen()).toMatchObject({ changed: true });
    });

    it('inserts many, leaves out those that exist, and says how many went in', async () => {
      const group = fresh();
      const rows = Array.from({ length: 30 }, (_, rank) => thing(`${group}-${rank}`, { group, rank }));
      const taken = thing(fresh(), { group, label: 'taken', open: true });
      await things().insert(taken);
      const refused = { ...taken, thing_id: fresh() };
      expect(await things().insertMany(rows.slice(0, 10))).toBe(10);
      expect(await things().insertMany([refused, ...rows, ...rows.slice(20)])).toBe(20);
      expect(await things().count({ group })).toBe(31);
      expect(await things().insertMany([])).toBe(0);
    });

    it('inserts many in order: nothing behind the first that exists', async () => {
      const rows = Array.from({ length: 1_200 }, (_, rank) => thing(fresh(), { rank }));
      const there = async () => (await things().getMany(rows.map((row) => row.thing_id))).length;
      const [third, late] = [rows[2], rows[1_100]];
      if (third === undefined || late === undefined) throw new Error('too few rows');
      await things().insert(third);
      expect(await things().insertMany(rows, { inOrder: true })).toBe(2);
      expect(await there()).toBe(3);
      await things().insert(late);
      expect(await things().insertMany(rows.slice(3), { inOrder: true })).toBe(1_097);
      expect(await there()).toBe(1_101);
      expect(await things().insertMany(rows.slice(1_101), { inOrder: true })).toBe(99);
    });

    it('inserts many as they are, whatever their text, and however long they are together', async () => {
      const odd = [
        '"',
        '\\',
        "'",
        '\\"',
        '\\u0041',
        '\u0001\t\n',
        '\u2028',
        'é\u0301',
        '😀',
        '[1]',
        '$[0]',
        ':key',
        'NULL',
      ];
      const rows = odd.map((text) => thing(`${fresh()}${text}`, { body: `${text}\u0000${text}` }));
      expect(await things().insertMany(rows)).toBe(odd.length);
      for (const row of rows) expect(await things().get(row.thing_id)).toEqual(row);
      const long = Array.from({ length: 61 }, () => thing(fresh(), { body: 'long '.repeat(20_000) }));
      for (const inOrder of [true, false]) {
        expect(await things().insertMany(long.slice(0, inOrder ? 60 : 61), { inOrder })).toBe(inOrder ? 60 : 1);
        expect((await things().get(long[0]?.thing_id ?? ''))?.body).toHaveLength(100_000);
      }
    });

    it('inserts and reads 10,000 rows by key', async () => {
      const rows = Array.from({ length: 10_000 }, (_, rank) => thing(fresh(), { rank }));
      expect(await things().insertMany(rows)).toBe(10_000);
      expect(await things().insertMany(rows)).toBe(0);
      const found = await things().getMany([...rows.map((row) => row.thing_id), fresh(), rows[0]?.thing_id ?? '']);
      const byId = new Map(found.map((row) => [row.thing_id, row]));
      expect(found).toHaveLength(10_000);
      expect(rows.every((row) => byId.get(row.thing_id)?.rank === row.rank)).toBe(true);
    });

    it('reads one field of many rows by key, of those that exist', async () => {
      const rows = Array.from({ length: 2_500 }, (_, n) => thing(fresh(), { group: `g${n}` }));
      await things().insertMany(rows);
      const keys = rows.map((row) => row.thing_id);
      const groups = new Map(rows.map((row) => [row.thing_id, row.group]));
      expect(await things().getField([...keys, fresh(), keys[0] ?? ''], 'group')).toEqual(groups);
      expect(await things().getField(keys.slice(0, 1), 'thing_id')).toEqual(new Map([[keys[0], keys[0]]]));
      expect(await things().getField([], 'group')).toEqual(new Map());
    });

    it('refuses a row that its schema, its key or its expiry does not allow, and stores nothing', async () => {
      const id = fresh();
      await expect(things().insert({ ...thing(id), rank: 'high' as never })).rejects.toThrow('schema');
      await expect(things().insert(thing(id, { expires_at: 'tomorrow' }))).rejects.toThrow('expiry');
      await expect(things().insert(thing('x'.repeat(513)))).rejects.toThrow('key');
      await expect(things().insert(thing(''))).rejects.toThrow('key');
      expect(await things().get(id)).toBeUndefined();
    });

    it('shows a write to every reader as soon as it is answered', async () => {
      const other = await open();
      const row = thing(fresh());
      await things().insert(row);
      expect(await other.things.get(row.thing_id)).toEqual(row);
      await other.things.replace({ ...row, rank: 5 });
      expect((await things().get(row.thing_id))?.rank).toBe(5);
    });
  });

  describe('the store', () => {
    it('gives one collection to a name, and answers that it is there', async () => {
      expect(store().collection(Things)).toBe(things());
      await store().ping();
      await store().prepare();
    });

    it('says where a collection is listed that nobody asked for before it was prepared, in every call', async () => {
      const other = await open();
      const late = other.store.collection({ ...Things, name: 'forgotten_things' });
      const calls = [
        () => late.get('any'),
        () => late.getMany(['any']),
        () => late.find({ where: {} }),
        () => late.count({}),
        () => late.insert(thing(fresh())),
        () => late.insertMany([thing(fresh())]),
        () => late.replace(thing(fresh())),
        () => late.update('any', (row) => row),
        () => late.delete('any'),
      ];
      const says =
        'the collection forgotten_things was not prepared: add it to the list in src/main/wiring/collections.ts';
      for (const call of calls) await expect(call()).rejects.toThrow(says);
      await other.store.prepare();
      expect(await late.count({})).toBe(0);
    });

    it('refuses work before it is prepared and after it is closed', async () => {
      const other = await open();
      await other.store.close();
      await expect(other.things.get('any')).rejects.toThrow();
      await expect(other.things.insert(thing(fresh()))).rejects.toThrow();
      await expect(other.store.ping()).rejects.toThrow();
    });
  });
}
