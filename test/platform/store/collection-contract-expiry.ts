import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { Collection, CollectionSpec } from '../../../src/platform/store/collection.ts';
import { UnreadableRowError } from '../../../src/platform/store/collection-rows.ts';
import type { Bench } from './collection-contract.ts';
import { thing, Thing, Things } from '../support/thing.ts';

const HOUR = 3_600_000;

/** The same rows for a program that puts a number where the expiry should be. */
const SpoiltThing = Thing.extend({ expires_at: z.number() });
const Spoilt: CollectionSpec<z.infer<typeof SpoiltThing>> = { name: 'things', key: 'thing_id', schema: SpoiltThing, indexes: [] }; // prettier-ignore

export function expiryContract({ fresh, open }: Bench): void {
  describe('a row past its expiry', () => {
    /** Two stores on the same data: the second one's clock is ahead of the expiry. */
    let before: Collection<Thing>;
    let after: Collection<Thing>;
    const start = Date.now();
    const expires_at = toTimestamp(start + HOUR);

    beforeAll(async () => {
      before = (await open({ clock: { now: () => start } })).things;
      after = (await open({ clock: { now: () => start + HOUR } })).things;
    });

    const insertExpiring = async (fields: Partial<Thing> = {}) => {
      const row = thing(fresh(), { expires_at, ...fields });
      await before.insert(row);
      return row;
    };

    it('is invisible to every read at once', async () => {
      const row = await insertExpiring({ group: fresh() });
      expect(await before.get(row.thing_id)).toEqual(row);
      expect((await before.find({ where: { group: row.group } })).rows).toEqual([row]);
      expect(await after.get(row.thing_id)).toBeUndefined();
      expect(await after.getMany([row.thing_id])).toEqual([]);
      expect(await before.getField([row.thing_id], 'group')).toEqual(new Map([[row.thing_id, row.group]]));
      expect(await after.getField([row.thing_id], 'group')).toEqual(new Map());
      expect(await after.find({ where: { group: row.group } })).toEqual({ rows: [] });
      expect(await after.count({ group: row.group })).toBe(0);
    });

    it('is as gone for writes', async () => {
      const row = await insertExpiring();
      expect(await after.replace({ ...row, rank: 1 })).toBeUndefined();
      expect(await after.update(row.thing_id, (found) => ({ ...found, rank: 1 }))).toBeUndefined();
      expect(await after.delete(row.thing_id)).toBe(false);
    });

    it('leaves its key and its unique values free', async () => {
      const [one, two, three] = [
        await insertExpiring({ email: fresh() }),
        await insertExpiring({ email: fresh() }),
        await insertExpiring({ email: fresh() }),
      ];
      expect(await after.insert(thing(one.thing_id, { rank: 1 }))).toEqual({ inserted: true });
      expect((await after.get(one.thing_id))?.rank).toBe(1);
      expect(await after.insertMany([thing(two.thing_id), thing(fresh(), { email: two.email ?? '' })])).toBe(2);
      const other = thing(fresh());
      await after.insert(other);
      expect(await after.replace({ ...other, email: three.email ?? '' })).toMatchObject({ revision: 2 });
    });

    it('[S6] is not one whose expiry is no timestamp: that cannot be read, and nobody deletes it', async () => {
      const name = 'things_spoilt';
      const { store } = await open();
      const spoilt = store.collection({ ...Spoilt, name });
      await store.prepare();
      const bad = { ...thing(fresh(), { group: 'g' }), expires_at: 5 };
      await spoilt.insert(bad);

      const { store: other } = await open();
      const things = other.collection({ ...Things, name });
      await other.prepare();
      const good = thing(fresh(), { group: 'g', email: fresh() });
      await things.insertMany([good]);
      expect(await things.insert(thing(fresh(), { email: good.email }))).toMatchObject({ inserted: false });
      expect(await things.find({ where: { group: 'g' } })).toEqual({ rows: [good], skipped: [bad.thing_id] });
      expect(await things.count({ group: 'g' })).toBe(2);
      await expect(things.get(bad.thing_id)).rejects.toThrow(UnreadableRowError);
      expect(await spoilt.get(bad.thing_id)).toEqual(bad);
    });

    it('lives on when its expiry was moved or taken away in time', async () => {
      const [moved, freed] = [await insertExpiring(), await insertExpiring()];
      await before.update(moved.thing_id, (row) => ({ ...row, expires_at: toTimestamp(start + 2 * HOUR) }));
      await before.update(freed.thing_id, (row) => ({ ...row, expires_at: null }));
      expect(await after.getMany([moved.thing_id, freed.thing_id])).toHaveLength(2);
    });
  });
}
