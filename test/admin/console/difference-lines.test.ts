import { describe, expect, it } from 'vitest';
import { differenceLines, givenLines } from '../../../src/admin/console/parts/difference-lines.ts';

/** As a page has them, a line each. */
function shown(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const { lines, more } = differenceLines({ before, after });
  const said = lines.map((one) =>
    one.kind === 'changed'
      ? `${one.path}: ${one.before ?? ''} → ${one.after ?? ''}`
      : `${one.path}: ${one.kind} ${one.after ?? one.before ?? ''}`,
  );
  return more === 0 ? said : [...said, `and ${more} more`];
}

describe('what differs, in the record', () => {
  it('[O1.record] is said leaf by leaf, and what both have alike is not', () => {
    expect(
      shown(
        { suspension: null, contact: { name: 'Ann', phone: { home: '1', work: '2' } }, open: false, same: { a: 1 } },
        {
          suspension: { reason: 'owes', by: 'bob' },
          contact: { name: 'Ann', phone: { work: '3', home: '1' } },
          open: true,
          same: { a: 1 },
        },
      ),
    ).toEqual([
      'suspension reason: none → owes',
      'suspension by: none → bob',
      'contact phone work: 2 → 3',
      'open: no → yes',
    ]);
    expect(shown({ a: { b: 1 } }, { a: { b: 1 } })).toEqual([]);
    expect(shown({ a: 'x' }, { a: { b: 1 } })).toEqual(['a: x → {"b":1}']);
    expect(shown({ at: { due: null } }, { at: {} })).toEqual([]);
  });

  it('[O1.record] has amounts as money where a currency is known beside them or above, and counts as they are', () => {
    const buy = (currency: string | undefined, total_budget: number, budget: number, impressions: number) => ({
      buy: { currency, total_budget, packages: [{ package_id: 'p_1', budget, impressions }] },
    });
    expect(shown(buy('USD', 1000, 500.5, 10), buy('USD', 2000, 600, 20))).toEqual([
      'buy total budget: 1,000.00 USD → 2,000.00 USD',
      'buy packages p_1 budget: 500.50 USD → 600.00 USD',
      'buy packages p_1 impressions: 10 → 20',
    ]);
    expect(shown({ limit: { currency: 'USD', amount: 5 } }, { limit: { currency: 'JPY', amount: 500 } })).toEqual([
      'limit currency: USD → JPY',
      'limit amount: 5.00 USD → 500 JPY',
    ]);
    expect(shown({ credit: { EUR: 5 } }, { credit: { EUR: 6, JPY: 7 } })).toEqual([
      'credit EUR: 5.00 EUR → 6.00 EUR',
      'credit JPY: none → 7 JPY',
    ]);
    expect(shown(buy(undefined, 1, 1, 1), buy(undefined, 2, 1, 1))).toEqual(['buy total budget: 1 → 2']);
    expect(shown(buy('nonsense', 1, 1, 1), buy('nonsense', 2, 1, 1))).toEqual(['buy total budget: 1 → 2']);
  });

  it('[O1.record] says which members of lists came and went, by their ids where they have some', () => {
    expect(shown({ scopes: ['a', 'b'] }, { scopes: ['b', 'c'] })).toEqual(['scopes: added c', 'scopes: removed a']);
    expect(shown({ scopes: ['a', 'b'] }, { scopes: ['b', 'a'] })).toEqual(['scopes: a, b → b, a']);
    expect(
      shown(
        { of: [{ package_id: 'p_1' }, { package_id: 'p_2', paused: false }] },
        { of: [{ package_id: 'p_2', paused: true }, { package_id: 'p_3' }] },
      ),
    ).toEqual(['of p_2 paused: no → yes', 'of: added p_3', 'of: removed p_1']);
    // Where an id is there twice, it tells nothing apart.
    const twice = [
      { a_id: '1', n: 1 },
      { a_id: '1', n: 2 },
    ];
    expect(shown({ of: twice }, { of: twice.slice(1) })).toEqual(['of: removed {"a_id":"1","n":1}']);
    expect(shown({ of: [] }, { of: [{ a: 1 }] })).toEqual(['of: added {"a":1}']);
    expect(shown({ scopes: null }, { scopes: ['a', 'b'] })).toEqual(['scopes: none → a, b']);
  });

  it('[O1.record] is at most eight lines and the number of the others, and no value is long', () => {
    const many = (value: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, value]));
    expect(shown(many(1, 9), many(2, 9))).toHaveLength(9);
    expect(shown(many(1, 12), many(2, 12)).slice(7)).toEqual(['m7: 1 → 2', 'and 4 more']);
    expect(shown({ a: 'x'.repeat(61) }, { a: 'x'.repeat(60) })).toEqual([`a: ${'x'.repeat(59)}… → ${'x'.repeat(60)}`]);
  });

  it('[O1.record] and what was given is said so, too, but for what is empty and what repeats a choice', () => {
    expect(
      givenLines({
        ...{ confirm: 'mb_1', note: '', reason: 'unpaid', limit: { currency: 'USD', amount: 5 }, scopes: ['a', 'b'] },
        ...{ packages: [{ package_id: 'p_1', paused: true }], ranges: [{ from: 1 }] },
      }),
    ).toEqual({
      lines: [
        { path: 'reason', value: 'unpaid' },
        { path: 'limit currency', value: 'USD' },
        { path: 'limit amount', value: '5.00 USD' },
        { path: 'scopes', value: 'a, b' },
        { path: 'packages p_1 package id', value: 'p_1' },
        { path: 'packages p_1 paused', value: 'yes' },
        { path: 'ranges 1 from', value: '1' },
      ],
      more: 0,
    });
  });
});
