import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collection, Query, Where } from '../../../src/platform/store/collection.ts';
import { AppError } from '../../../src/platform/errors.ts';
import type { Bench } from './collection-contract.ts';
import { thing } from '../support/thing.ts';
import type { Thing } from '../support/thing.ts';

export function queryContract({ things, fresh }: Bench): void {
  describe('a query', () => {
    it.each<[string, Where<Thing>, string[]]>([
      ['equality', { rank: 2 }, ['b']],
      ['equality with null, which a missing field is too', { email: null }, ['a', 'b', 'd']],
      ['equality with a boolean', { open: true }, ['c', 'd']],
      ['membership', { rank: { in: [1, 3, 7] } }, ['a', 'c']],
      ['membership with null', { rank: { in: [null, 3] } }, ['c', 'd']],
      ['membership of nothing', { rank: { in: [] } }, []],
      ['an open range', { rank: { gt: 1 } }, ['b', 'c']],
      ['a closed range', { rank: { gte: 1, lte: 2 } }, ['a', 'b']],
      ['a range that null is not in', { rank: { lt: 3 } }, ['a', 'b']],
      ['a range of strings', { label: { gte: 'B', lt: 'd' } }, ['b', 'c']],
      ['several conditions', { open: true, rank: { gt: 0 } }, ['c']],
      ['no condition', {}, ['a', 'b', 'c', 'd']],
    ])('finds and counts by %s', async (_, where, expected) => {
      const group = fresh();
      const row = (id: string, fields: Partial<Thing>) => thing(`${group}-${id}`, { group, ...fields });
      await things().insertMany([
        row('d', { rank: null, label: 'e', open: true }),
        row('c', { rank: 3, label: 'c', open: true, email: `${group}@example.com` }),
        row('b', { rank: 2, label: 'Z' }),
        row('a', { rank: 1, label: 'A', email: null }),
      ]);
      const wanted = expected.map((id) => `${group}-${id}`);
      const { rows } = await things().find({ where: { group, ...where } });
      expect(rows.map((each) => each.thing_id)).toEqual(wanted);
      expect(await things().count({ group, ...where })).toBe(wanted.length);
    });

    it('gives pages that together are the whole, in order, whatever the sort, range, ties and nulls', async () => {
      await fc.assert(
        fc.asyncProperty(RowFields, Sort, Range, fc.integer({ min: 1, max: 7 }), async (fields, sort, range, limit) => {
          const group = fresh();
          const rows = fields.map(({ id, ...rest }) => thing(`${group}${id}`, { group, ...rest }));
          await things().insertMany(rows);
          const where = { group, ...(range && { rank: range }) };
          const pages = await readPages(things(), { where, sort, limit });
          const inOrder = rows.filter(({ rank }) => isIn(rank, range)).toSorted((a, b) => comesBefore(a, b, sort));
          expect(pages.flat().map((row) => row.thing_id)).toEqual(inOrder.map((row) => row.thing_id));
          for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
        }),
        { numRuns: 60 },
      );
    });

    it('gives the pages of several groups as one, in order, and counts no further than it is told to', async () => {
      const groups = [fresh(), fresh(), fresh()];
      const rows = Array.from({ length: 24 }, (_, n) =>
        thing(`${fresh()}${n % 2 === 0 ? 'é' : '\u{1F40B}'}`, {
          group: groups[n % 3] ?? '',
          rank: n % 5 === 0 ? null : n % 4,
          ...(n === 7 && { expires_at: '2020-01-01T00:00:00.000Z' }),
        }),
      );
      await things().insertMany(rows);
      const where = { group: { in: [...groups, fresh()] } };
      for (const direction of ['asc', 'desc'] as const) {
        const sort = { field: 'rank', direction } as const;
        const pages = await readPages(things(), { where, sort, limit: 5 });
        const alive = rows.filter((row) => row.expires_at === null).map(({ thing_id }) => thing_id);
        expect(new Set(pages.flat().map(({ thing_id }) => thing_id))).toEqual(new Set(alive));
        const whole = (await things().find({ where, sort, limit: 100 })).rows;
        expect(pages.flat()).toEqual(whole);
        const ranks = whole.map(({ rank }) => rank ?? -1);
        expect(ranks).toEqual([...ranks].sort((a, b) => (direction === 'asc' ? a - b : b - a)));
      }
      expect([await things().count(where), await things().count(where, { most: 9 })]).toEqual([23, 9]);
      expect(await things().count({ group: groups[0] ?? '' }, { most: 100 })).toBe(8);
    });

    it('gives pages that miss and repeat nothing while rows come and go', async () => {
      const group = fresh();
      const rows = Array.from({ length: 9 }, (_, rank) => thing(`${group}-${rank}`, { group, rank }));
      await things().insertMany(rows);
      const query: Query<Thing> = { where: { group }, sort: { field: 'rank', direction: 'asc' }, limit: 3 };
      const first = await things().find(query);
      await things().delete(`${group}-2`);
      await things().insert(thing(`${group}-before`, { group, rank: 1 }));
      const second = await things().find({ ...query, after: first.cursor ?? '' });
      expect(second.rows.map((row) => row.rank)).toEqual([3, 4, 5]);
    });

    it('has a cursor exactly when there is more', async () => {
      const group = fresh();
      await things().insertMany([thing(fresh(), { group }), thing(fresh(), { group })]);
      expect((await things().find({ where: { group }, limit: 1 })).cursor).toBeTypeOf('string');
      expect(await things().find({ where: { group }, limit: 2 })).not.toHaveProperty('cursor');
      expect(await things().find({ where: { group: fresh() } })).toEqual({ rows: [] });
    });

    it('refuses a cursor that it did not give, as the mistake of who sent it', async () => {
      const group = fresh();
      await things().insertMany([thing(fresh(), { group }), thing(fresh(), { group })]);
      const query: Query<Thing> = { where: { group }, limit: 1 };
      const { cursor = '' } = await things().find(query);
      const forged = Buffer.from(JSON.stringify(['x', 'y', 'z'])).toString('base64url');
      const refused: Query<Thing>[] = [
        ...['', 'nonsense', forged, `${cursor}A`, cursor.slice(1), '{}', '\u0000'].map((after) => ({
          ...query,
          after,
        })),
        { where: { group: fresh() }, limit: 1, after: cursor },
        { ...query, sort: { field: 'rank', direction: 'asc' }, after: cursor },
      ];
      for (const each of refused) {
        const error: unknown = await things()
          .find(each)
          .catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ code: 'INVALID_REQUEST', details: { field: 'cursor' } });
      }
      expect((await things().find({ ...query, after: cursor })).rows).toHaveLength(1);
    });

    it('is refused when no index begins it', async () => {
      const refused: Query<Thing>[] = [
        { where: { open: true } },
        { where: { label: 'x' } },
        { where: { rank: 1 } },
        { where: { open: false, rank: 1 } },
        { where: {}, sort: { field: 'label', direction: 'asc' } },
      ];
      for (const query of refused) await expect(things().find(query)).rejects.toThrow('no index');
      await expect(things().count({ open: true })).rejects.toThrow('no index');
    });

    it('is refused when a condition is undefined or a field unknown, which would ask for other rows', async () => {
      const where: Where<Thing>[] = [
        { group: undefined as never },
        { group: 'x', rank: {} },
        { "x' OR 1": 1 } as never,
      ];
      for (const each of where) {
        await expect(things().find({ where: each })).rejects.toThrow();
        await expect(things().count(each)).rejects.toThrow();
      }
      const sort = { field: 'nothing' as never, direction: 'asc' } as const;
      await expect(things().find({ where: { group: 'x' }, sort })).rejects.toThrow('unknown');
    });

    it('is allowed by key, by the field that it is sorted by, and by a partial index whose rows it asks for', async () => {
      await things().find({ where: { thing_id: fresh(), open: true } });
      await things().find({ where: { label: fresh() }, sort: { field: 'group', direction: 'asc' }, limit: 1 });
      await things().find({ where: { rank: { gt: 1e9 }, open: true } });
      await things().find({ where: {}, limit: 1 });
    });

    it('has 1 to 1000 rows to a page and no null bounds', async () => {
      for (const limit of [0, -1, 1001, 1.5, Number.NaN])
        await expect(things().find({ where: { group: 'x' }, limit })).rejects.toThrow('page');
      await expect(things().find({ where: { group: 'x', rank: { gt: null } } })).rejects.toThrow('null');
    });

    it('takes values as values, whatever they look like', async () => {
      const group = `'; DROP TABLE "things"; -- $ne {"$gt":""} \\ % _ ?1`;
      const row = thing(fresh(), { group });
      await things().insert(row);
      expect((await things().find({ where: { group } })).rows).toEqual([row]);
      expect(await things().count({ group: `${group}x` })).toBe(0);
      await things().delete(row.thing_id);
    });
  });
}

const RowFields = fc.uniqueArray(
  fc.record({
    id: fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
    rank: fc.option(fc.constantFrom(0, 1, -1.5, 2 ** 40)),
    label: fc.constantFrom('', 'a', 'a\u0000b', 'B', 'ü', '\uffff', '😀'),
  }),
  { maxLength: 25, selector: ({ id }) => id },
);

const Sort = fc.record({
  field: fc.constantFrom('rank' as const, 'label' as const, 'thing_id' as const),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
});

const Range = fc.constantFrom(undefined, { gt: -1.5 }, { lt: 1 }, { gte: 0, lte: 1 }, { lte: 2 ** 40 });

function isIn(
  rank: number | null,
  range: { gt?: number; gte?: number; lt?: number; lte?: number } | undefined,
): boolean {
  if (range === undefined) return true;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return rank !== null && rank > gt && rank >= gte && rank < lt && rank <= lte;
}

type Sorted = typeof Sort extends fc.Arbitrary<infer Value> ? Value : never;

/** The order that both drivers promise: null first, numbers by size, strings by their UTF-8 bytes, ties by key. */
function comesBefore(a: Thing, b: Thing, { field, direction }: Sorted): number {
  const order = compare(a[field], b[field]) || compare(a.thing_id, b.thing_id);
  return direction === 'asc' ? order : -order;
}

function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

async function readPages(things: Collection<Thing>, query: Query<Thing>): Promise<Thing[][]> {
  const pages: Thing[][] = [];
  for (let after: string | undefined; pages.length === 0 || after !== undefined;) {
    const page = await things.find(after === undefined ? query : { ...query, after });
    pages.push(page.rows);
    after = page.cursor;
  }
  return pages;
}
