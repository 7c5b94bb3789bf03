import { describe, expect, it } from 'vitest';
import type { Page, Query } from '../../../src/platform/store/collection.ts';
import { readPage } from '../../../src/platform/store/collection-page.ts';
import type { PlacedRow } from '../../../src/platform/store/collection-page.ts';
import { planFind } from '../../../src/platform/store/collection-query.ts';
import type { Plan } from '../../../src/platform/store/collection-query.ts';
import { rowCodec } from '../../../src/platform/store/collection-rows.ts';
import { rowShape } from '../../../src/platform/store/collection-spec.ts';
import { thing, Things } from '../support/thing.ts';
import type { Thing } from '../support/thing.ts';

const codec = rowCodec(Things);
const shape = rowShape(Things);
const keyOf = (n: number) => `thing-${String(n).padStart(6, '0')}`;

/** Rows of rank 1, 2, … in the order of ranks, of which only some can be read; counts how often it is asked for some. */
function table(count: number, isReadable: (n: number) => boolean) {
  const rows = Array.from({ length: count }, (_, at): PlacedRow => {
    const row = thing(keyOf(at + 1), { group: 'g', rank: at + 1 });
    return { key: row.thing_id, row: isReadable(at + 1) ? row : { ...row, label: 7 }, place: row.rank };
  });
  const asked = { reads: 0, rows: 0 };
  const read = ({ after, limit }: Plan<Thing>) => {
    const start = after === undefined ? 0 : Number(after.value);
    const found = rows.slice(start, start + limit);
    asked.reads += 1;
    asked.rows += found.length;
    return Promise.resolve(found);
  };
  return { asked, find: (query: Query<Thing>) => readPage(planFind(Things, shape, query), codec, read) };
}

const byRank = { where: { group: 'g' }, sort: { field: 'rank', direction: 'asc' } } as const;
const ids = ({ rows }: Page<Thing>) => rows.map(({ thing_id }) => thing_id);

describe('a page', () => {
  it('[S6] past very many rows that cannot be read takes few reads, however small it is', async () => {
    const { asked, find } = table(10_001, (n) => n === 10_001);
    const page = await find({ ...byRank, limit: 1 });
    expect(ids(page)).toEqual([keyOf(10_001)]);
    expect(page.skipped).toHaveLength(10_000);
    expect(asked.reads).toBeLessThanOrEqual(52);
    expect(asked.rows).toBe(10_001);
  });

  it('[S6] and the next one together name each row that they passed over once', async () => {
    const { find } = table(10, (n) => n % 3 === 0);
    const skipped: string[] = [];
    const read: string[] = [];
    let after: string | undefined;
    do {
      const page = await find({ ...byRank, limit: 1, ...(after !== undefined && { after }) });
      read.push(...ids(page));
      skipped.push(...(page.skipped ?? []));
      after = page.cursor;
    } while (after !== undefined);
    expect(read).toEqual([3, 6, 9].map(keyOf));
    expect(skipped).toEqual([1, 2, 4, 5, 7, 8, 10].map(keyOf));
  });

  it('with all rows readable is one read of one row more than it has, and says nothing of skipped ones', async () => {
    const { asked, find } = table(10, () => true);
    const page = await find({ ...byRank, limit: 4 });
    expect(page).toEqual({ rows: expect.any(Array) as unknown, cursor: expect.any(String) as unknown });
    expect(asked).toEqual({ reads: 1, rows: 5 });
  });
});

describe('a plan behind a cursor', () => {
  const rest = (direction: 'asc' | 'desc', rank: number) => {
    const query = { where: { group: 'g', rank: { gt: 2, lt: 90 } }, sort: { field: 'rank', direction } } as const;
    const after = planFind(Things, shape, query).cursorAfter(thing('t', { rank }));
    return planFind(Things, shape, { ...query, after });
  };
  const group = { field: 'group', kind: 'eq', value: 'g' };

  it('has no bound besides that the cursor is past: by that a database would read all before it again', () => {
    expect(rest('asc', 50).terms).toEqual([group, { field: 'rank', kind: 'lt', value: 90 }]);
    expect(rest('desc', 50).terms).toEqual([group, { field: 'rank', kind: 'gt', value: 2 }]);
  });

  it('still leaves out rows with null, for which no range holds', () => {
    expect(rest('desc', 50).mayBeNull).toBe(false);
  });

  it('keeps a bound that a made-up cursor is not past', () => {
    expect(rest('asc', 1).terms).toHaveLength(3);
    expect(rest('desc', 99).terms).toHaveLength(3);
  });
});
