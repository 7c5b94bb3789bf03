import { describe, expect, it } from 'vitest';
import { aboutRows } from '../../../src/platform/store/told-changes.ts';
import type { Bench } from './collection-contract.ts';
import { thing } from '../support/thing.ts';

export function toldContract({ things, store, fresh, open }: Bench): void {
  describe('what a store tells of its writes', () => {
    const about = (field: 'thing_id' | 'group' | 'email', value: string) => aboutRows('things', field, value);
    /** What is told of some writes, without repetition; undefined where the store tells nothing. */
    const toldOf = async (write: () => Promise<unknown>): Promise<Set<string> | undefined> => {
      const before = await store().changesSince(undefined);
      await write();
      const told = before && (await store().changesSince(before.mark));
      if (told !== undefined) expect(told.touched).toBeDefined();
      return told && new Set(told.touched);
    };

    it('is everything that a row can be asked for, before it and after, by every kind of write of any process; or nothing at all', async () => {
      const { things: others } = await open();
      const [id, second, group, email] = [fresh(), fresh(), fresh(), `${fresh()}@example.com`];
      const inserted = await toldOf(() => others.insert(thing(id, { group, email })));
      if (inserted === undefined) {
        expect(store().kind).toBe('mongodb');
        return;
      }
      expect([...inserted]).toEqual([about('thing_id', id), about('group', group), about('email', email)]);
      const many = await toldOf(() => others.insertMany([thing(id), thing(second, { group })]));
      expect([...(many ?? [])]).toEqual([about('thing_id', second), about('group', group)]);
      const moved = await toldOf(() => things().update(id, (row) => ({ ...row, group: `not ${group}`, email: null })));
      expect(moved).toEqual(
        new Set([about('thing_id', id), about('group', group), about('group', `not ${group}`), about('email', email)]),
      );
      const replaced = await toldOf(async () => {
        const row = await others.get(second);
        if (row !== undefined) await others.replace({ ...row, rank: 1 });
      });
      expect(replaced).toEqual(new Set([about('thing_id', second), about('group', group)]));
      expect(await toldOf(() => others.delete(second))).toEqual(replaced);
    });

    it('is nothing of what changed nothing', async () => {
      const id = fresh();
      await things().insert(thing(id));
      const told = await toldOf(async () => {
        await things().insert(thing(id));
        await things().insertMany([thing(id)]);
        await things().update(id, () => undefined);
        await things().replace(thing(id, { revision: 7 }));
        await things().delete(fresh());
        await things().get(id);
      });
      if (store().kind === 'sqlite') expect([...(told ?? ['told'])]).toEqual([]);
      else expect(told).toBeUndefined();
    });
  });
}
