import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Collection, CollectionSpec, Row } from '../../../src/platform/store/collection.ts';
import type { Bench } from './collection-contract.ts';

/** A page whose `revision` is its readers': it grows with the text alone, while `writes` counts all. */
const Page = z.strictObject({
  page_id: z.string(),
  group: z.string(),
  text: z.string(),
  seen: z.number(),
  revision: z.number(),
  writes: z.number(),
});
type Page = z.infer<typeof Page>;

/** From before the two were told apart. */
const FirstPage = Page.omit({ writes: true });
type FirstPage = z.infer<typeof FirstPage>;

const shared = { key: 'page_id', indexes: [{ name: 'group', fields: ['group'] }] } as const;
const firstPages = (name: string): CollectionSpec<FirstPage> => ({ ...shared, name, schema: FirstPage });
const pages = (name: string): CollectionSpec<Page> => ({
  ...shared,
  name,
  schema: Page,
  counter: 'writes',
  onChange: (before, after) => ({ ...after, revision: before.revision + (before.text === after.text ? 0 : 1) }),
  indexes: [
    ...shared.indexes,
    { name: 'by_revision', fields: ['group', 'revision'] },
    { name: 'by_writes', fields: ['group', 'writes'] },
  ],
  version: 2,
  migrations: [
    {
      to: 2,
      what: 'writes are counted apart',
      migrate: (row) => (row['writes'] === undefined ? { ...row, writes: row['revision'] } : undefined),
    },
  ],
});

/** Rows that count their writes in a field other than `revision`, which is their own. */
export function counterContract({ fresh, open }: Bench): void {
  const openAs = async <R extends Row>(spec: CollectionSpec<R>): Promise<Collection<R>> => {
    const { store } = await open();
    const rows = store.collection(spec);
    await store.prepare();
    return rows;
  };
  const page = (fields: Partial<Page> = {}): Page => ({
    ...{ page_id: fresh(), group: 'none', text: 'a', seen: 0, revision: 1, writes: 1 },
    ...fields,
  });
  const look = (row: Page): Page => ({ ...row, seen: row.seen + 1 });

  describe('a collection with a counter of its own', () => {
    it('counts every write there, from 1, and keeps `revision` as the row has it', async () => {
      const rows = await openAs(pages('pages_counted'));
      const row = page({ revision: 4, writes: 9 });
      await rows.insert(row);
      expect(await rows.get(row.page_id)).toEqual({ ...row, writes: 1 });
      const ignored = await rows.update(row.page_id, (found) => ({ ...look(found), writes: 99, revision: 99 }));
      expect(ignored).toEqual({ row: { ...row, seen: 1, writes: 2 }, changed: true });
      const read = (await rows.get(row.page_id)) ?? row;
      expect(await rows.replace(look(read))).toEqual({ ...row, seen: 2, writes: 3 });
      expect(await rows.replace(look(read))).toBeUndefined();
      expect(await rows.insertMany([row, page({ writes: 5 })])).toBe(1);
    });

    it('swaps by the counter, so that of racing writers none is lost though `revision` stays', async () => {
      const rows = await openAs(pages('pages_racing'));
      const others = await openAs(pages('pages_racing'));
      const row = page();
      await rows.insert(row);
      const add = async (_: unknown, n: number): Promise<void> => {
        const mine = n % 2 === 0 ? rows : others;
        if (n % 4 < 2) await mine.update(row.page_id, look);
        while (n % 4 >= 2) {
          const read = await mine.get(row.page_id);
          if (read === undefined) throw new Error('the page is gone');
          if ((await mine.replace(look(read))) !== undefined) return;
        }
      };
      await Promise.all(Array.from({ length: 20 }, add));
      expect(await rows.get(row.page_id)).toEqual({ ...row, seen: 20, writes: 21 });
    });

    it('is deleted by the counter', async () => {
      const rows = await openAs(pages('pages_deleted'));
      const row = page({ revision: 3 });
      await rows.insert(row);
      expect(await rows.delete(row.page_id, 3)).toBe(false);
      expect(await rows.delete(row.page_id, 1)).toBe(true);
    });

    it('is found and sorted by either number', async () => {
      const rows = await openAs(pages('pages_found'));
      const group = fresh();
      const [one, two] = [page({ group, revision: 7 }), page({ group, revision: 3 })];
      await rows.insertMany([one, two]);
      await rows.update(one.page_id, look);
      const ids = async (where: object, field: 'revision' | 'writes') => {
        const found = await rows.find({ where: { group, ...where }, sort: { field, direction: 'asc' } });
        return found.rows.map(({ page_id }) => page_id);
      };
      expect(await ids({}, 'revision')).toEqual([two.page_id, one.page_id]);
      expect(await ids({}, 'writes')).toEqual([two.page_id, one.page_id]);
      expect(await ids({ revision: 7 }, 'revision')).toEqual([one.page_id]);
      expect(await ids({ writes: { gte: 2 } }, 'writes')).toEqual([one.page_id]);
      expect(await rows.count({ group, revision: { lt: 7 } })).toBe(1);
    });

    it('needs it in its schema', async () => {
      const { store } = await open();
      const wrong = { ...pages('pages_wrong'), counter: 'swaps' as 'writes' };
      expect(() => store.collection(wrong)).toThrow('unknown field: swaps');
    });
  });

  describe('what is to follow from a change', () => {
    it('follows every update and replace, and no write that comes too late', async () => {
      const rows = await openAs(pages('pages_followed'));
      const row = page();
      await rows.insert(row);
      await rows.update(row.page_id, (found) => ({ ...found, text: 'b', revision: 50 }));
      const read = (await rows.get(row.page_id)) ?? row;
      expect(read).toMatchObject({ revision: 2, writes: 2 });
      expect(await rows.replace({ ...read, text: 'c', revision: 60 })).toMatchObject({ revision: 3, writes: 3 });
      expect(await rows.replace({ ...read, text: 'd' })).toBeUndefined();
      expect(await rows.replace(page({ writes: 3 }))).toBeUndefined();
      expect(await rows.update(row.page_id, look)).toMatchObject({ row: { text: 'c', revision: 3, writes: 4 } });
    });

    it('follows a replace that is handed the row as it was read, and swaps by its counter all the same', async () => {
      const rows = await openAs(pages('pages_handed'));
      const row = page();
      await rows.insert(row);
      const read = (await rows.get(row.page_id)) ?? row;
      const next = { ...read, text: 'b', revision: 60 };
      expect(await rows.replace(next, read)).toMatchObject({ text: 'b', revision: 2, writes: 2 });
      expect(await rows.replace({ ...read, text: 'c' }, read)).toBeUndefined();
      const gone = page({ writes: 1 });
      expect(await rows.replace({ ...gone, text: 'c' }, gone)).toBeUndefined();
      expect(await rows.replace({ ...read, text: 'c', writes: 2 }, read)).toBeUndefined();
      expect(await rows.get(row.page_id)).toMatchObject({ text: 'b', revision: 2, writes: 2 });
      const ids = await Promise.all(
        Array.from({ length: 20 }, async (_, seen) => {
          const written = await rows.replace(
            { ...next, writes: 2, seen },
            { ...read, text: 'b', revision: 2, writes: 2 },
          );
          return written === undefined ? [] : [written.seen];
        }),
      );
      expect(ids.flat()).toHaveLength(1);
    });
  });

  describe('rows from before their collection had a counter', () => {
    it('[S6] go on from their revision, and are written as all others', async () => {
      const old = await openAs(firstPages('pages_older'));
      const [one, two] = [page(), page()].map(({ writes: _writes, ...row }) => row) as [FirstPage, FirstPage];
      await old.insertMany([one, two]);
      for (let n = 0; n < 3; n++) await old.update(one.page_id, (row) => ({ ...row, seen: row.seen + 1 }));

      const rows = await openAs(pages('pages_older'));
      const [first, second] = [await rows.get(one.page_id), await rows.get(two.page_id)];
      expect(first).toMatchObject({ revision: 4, seen: 3, writes: 5 });
      expect(second).toMatchObject({ revision: 1, writes: 2 });
      if (first === undefined) throw new Error('the page is gone');
      expect(await rows.replace(look(first))).toMatchObject({ revision: 4, seen: 4, writes: 6 });
      expect(await rows.update(two.page_id, (row) => ({ ...row, text: 'b' }))).toMatchObject({
        row: { revision: 2, writes: 3 },
      });
      await expect(openAs(firstPages('pages_older'))).rejects.toThrow('reads up to 1');
    });
  });
}
