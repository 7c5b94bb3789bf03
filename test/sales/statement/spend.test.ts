import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromTimestamp } from '../../../src/platform/clock.ts';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { cpmCost, MAX_MINOR } from '../../../src/platform/money.ts';
import { feeDue, priceIn } from '../../../src/sales/statement/prices.ts';
import { buyTerms, hourAt, lineTerms, openFacts, statedRow, START } from './support/open-facts.ts';
import type { OpenFacts } from './support/open-facts.ts';

let open: OpenFacts;
beforeEach(async () => {
  open = await openFacts();
});
afterEach(() => open.close());

/** The spend of `pkg_1` by hour. */
async function spends(): Promise<number[]> {
  return Object.values(await open.hours()).map((hour) => Number(hour.split('/')[1]));
}
const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0);

describe('computed spend', () => {
  it('is the price of all units, rounded once, in whatever portions they are stated', async () => {
    const impressions = Array.from({ length: 30 }, (_, hour) => 1 + ((hour * 37) % 11));
    const rows = impressions.map((count, hour) => statedRow(hour, count));
    const terms = buyTerms({ lines: [lineTerms({ prices: [{ from: START, rate_minor: 333 }] })] });
    for (const until of [1, 2, 3, 10, 30]) await open.record(terms, { from: 0, until, rows: rows.slice(0, until) });
    expect(sum(await spends())).toBe(cpmCost(sum(impressions), 333));
    expect(await open.corrections()).toEqual([]);
  });

  it('has a new price from the next whole hour on, each price rounded by itself', async () => {
    const prices = [
      { from: START, rate_minor: 1001 },
      { from: hourAt(1.2), rate_minor: 2003 },
      { from: hourAt(3), rate_minor: 505 },
    ];
    const rows = [0, 1, 2, 3].map((hour) => statedRow(hour, 500));
    await open.record(buyTerms({ lines: [lineTerms({ prices })] }), { from: 0, until: 4, rows });
    expect(sum(await spends())).toBe(cpmCost(1000, 1001) + cpmCost(500, 2003) + cpmCost(500, 505));
  });

  it.each([
    [0, 'first', 10],
    [1, 'first', 10],
    [2, hourAt(2), 20],
    [4, hourAt(2), 20],
    [5, hourAt(5), 30],
  ])('in hour %i is by the period %s', (hour, period, rate_minor) => {
    const prices = [
      { from: hourAt(3), rate_minor: 10 },
      { from: hourAt(1.001), rate_minor: 20 },
      { from: hourAt(5), rate_minor: 30 },
    ];
    const inOrder = prices.with(0, { from: hourAt(0.5), rate_minor: 10 });
    expect(priceIn(inOrder, fromTimestamp(hourAt(hour)))).toEqual({ period, rate_minor });
  });

  it.each([
    ['last', (left: number) => [0, left]],
    ['first', (left: number) => [6 - left, 6]],
  ])('stays exact while hours come to nothing one after another, the %s of them first', async (_, kept) => {
    const terms = buyTerms({ lines: [lineTerms({ prices: [{ from: START, rate_minor: 490 }], end: hourAt(6) })] });
    const rows = [0, 1, 2, 3, 4, 5].map((hour) => statedRow(hour, 1));
    await open.record(terms, { from: 0, until: 6, rows });
    expect(sum(await spends())).toBe(cpmCost(6, 490));
    for (let left = 5; left >= 0; left--) {
      await open.record(terms, { from: 0, until: 12 - left, rows: rows.slice(...kept(left)) });
      expect(sum(await spends())).toBe(cpmCost(left, 490));
    }
  });
});

describe('what an hour cannot take of rounding', () => {
  it('the next hour of its price does', async () => {
    const terms = buyTerms({ lines: [lineTerms({ prices: [{ from: START, rate_minor: 490 }] })] });
    const rows = [0, 1, 2, 3, 4, 5, 6].map((hour) => statedRow(hour, 1));
    await open.record(terms, { from: 0, until: 6, rows: rows.slice(0, 6) });
    await open.record(terms, { from: 0, until: 6, rows: rows.slice(1, 6) });
    const owed = (await open.facts.books.get('mb_1'))?.lines['pkg_1']?.periods['first']?.owed_minor;
    expect(sum(await spends()) + (owed ?? 0)).toBe(cpmCost(5, 490));
    expect(owed).toBe(-1);
    await open.record(terms, { from: 0, until: 7, rows: rows.slice(1) });
    expect(sum(await spends())).toBe(cpmCost(6, 490));
  });
});

describe('a flat fee', () => {
  const flat = (days: number, rate_minor: number, more: object = {}) =>
    lineTerms({
      ...{ model: 'flat-fee', prices: [{ from: START, rate_minor }], budget_minor: rate_minor },
      ...{ end: hourAt(days * 24), ...more },
    });

  it.each([7, 30, 31])('falls due hour by hour, to the minor unit over %i days', async (days) => {
    const fee = 1_000_003;
    const terms = buyTerms({ lines: [flat(days, fee)], now: hourAt(days * 24) });
    const half = days * 12;
    await open.record(terms, { from: 0, until: half, rows: [statedRow(3, 10)] });
    expect(sum(await spends())).toBe(Math.floor(fee / 2));
    await open.record(terms, { from: half - 24, until: days * 24 + 5, rows: [statedRow(half + 1, 10)] });
    const all = await spends();
    expect([all.length, sum(all)]).toEqual([days * 24, fee]);
    expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(1);
    expect(await open.corrections()).toEqual([]);
  });

  it('of a buy that was ended is due until then, and what is counted changes nothing of it', async () => {
    const terms = buyTerms({ lines: [flat(1, 2400)], stopped_at: hourAt(10.5) });
    await open.record(terms, { from: 0, until: 24, rows: [statedRow(2, 500)] });
    expect(sum(await spends())).toBe(1050);
    await open.record(terms, { from: 0, until: 24, rows: [statedRow(2, 900)] });
    expect(sum(await spends())).toBe(1050);
    expect(await open.corrections()).toHaveLength(1);
  });

  it('of a flight that became longer waits until it is due again', async () => {
    await open.record(buyTerms({ lines: [flat(1, 2400)] }), { from: 0, until: 12, rows: [] });
    await open.record(buyTerms({ lines: [flat(2, 2400)] }), { from: 12, until: 24, rows: [] });
    expect(sum(await spends())).toBe(1200);
    await open.record(buyTerms({ lines: [flat(2, 2400)] }), { from: 24, until: 48, rows: [] });
    expect(sum(await spends())).toBe(2400);
  });

  it('begins and ends within hours', async () => {
    const line = flat(1, 999, { start: hourAt(0.25), end: hourAt(3.75) });
    await open.record(buyTerms({ lines: [line] }), { from: 0, until: 5, rows: [] });
    expect(await open.hours()).toEqual({
      ...{ 'pkg_1/0': '0/214/0', 'pkg_1/1': '0/285/0', 'pkg_1/2': '0/285/0', 'pkg_1/3': '0/215/0' },
    });
  });

  it('is due in steps that add up to it, for any fee and flight', () => {
    const flight = fc.record({
      fee: fc.integer({ min: 0, max: MAX_MINOR }),
      hours: fc.double({ min: 0.01, max: 9000, noNaN: true }),
    });
    fc.assert(
      fc.property(flight, ({ fee, hours }) => {
        const terms = { start: START, end: hourAt(hours) };
        let due = 0;
        for (let hour = 1; hour < hours + 1; hour += Math.ceil(hours / 50)) {
          const next = feeDue(terms, fee, fromTimestamp(START) + hour * HOUR_MS);
          expect(next).toBeGreaterThanOrEqual(due);
          due = next;
        }
        expect(feeDue(terms, fee, fromTimestamp(terms.end))).toBe(fee);
      }),
    );
  });
});

describe('stated spend', () => {
  it('is billed as stated, within the budget in force', async () => {
    const terms = buyTerms({ lines: [lineTerms({ budget_minor: 1000, forecast_per_hour: 1000 })] });
    const described = { spend: 'stated' as const };
    const look = { from: 0, until: 2, described };
    const rows = (...spend: number[]) => spend.map((spend_minor, hour) => statedRow(hour, 10, { spend_minor }));
    await open.record(terms, { ...look, rows: rows(600, 600) });
    expect(await spends()).toEqual([600, 400]);
    await open.record(terms, { ...look, until: 3, rows: rows(500, 600, 80) });
    expect(await spends()).toEqual([500, 400, 80]);
    const corrections = await open.corrections();
    expect(corrections.map(({ before, after }) => [before.spend_minor, after.spend_minor])).toEqual([[600, 500]]);
  });
});
