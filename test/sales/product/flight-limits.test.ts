import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/platform/hours.ts';
import { earliestStart, flightProblems } from '../../../src/sales/product/flight-limits.ts';
import type { Product } from '../../../src/sales/product/product.ts';
import { demoCatalog } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();
const [some] = catalog.products.values();
if (some === undefined) throw new Error('the catalog is empty');
const limited: Product = { ...some, flight: { min_days: 2, max_days: 5, lead_time_days: 3 } };
const ORDERED = Date.parse('2027-01-01T10:00:00Z');

function ends(startDays: number, endDays: number): string[] {
  const startMs = ORDERED + startDays * DAY_MS;
  const problems = flightProblems(limited, { orderedMs: ORDERED, startMs, endMs: ORDERED + endDays * DAY_MS });
  return problems.map(({ end }) => end);
}

describe('the limits of a product’s flight', () => {
  it.each([
    ['begins with the lead time and lasts the least', 3, 5, []],
    ['lasts the most', 3, 8, []],
    ['begins too soon', 2.9, 6, ['start']],
    ['is too short', 3, 4, ['end']],
    ['is too long', 3, 8.1, ['end']],
    ['begins too soon and is too long', 0, 20, ['start', 'end']],
    ['has a begun day, which counts whole', 3, 4.1, []],
    ['misses each limit by a minute, as clocks do', 3 - 1 / 1440, 8 + 1 / 1440, []],
  ])('a flight that %s', (_what, start, end, expected) => {
    expect(ends(start, end)).toEqual(expected);
  });

  it('say what to send instead', () => {
    const flight = { orderedMs: ORDERED, startMs: ORDERED, endMs: ORDERED + 20 * DAY_MS };
    expect(flightProblems(limited, flight)).toMatchObject([
      { suggestion: '2027-01-04T10:00:00.000Z or later, or asap' },
      { suggestion: '2027-01-06T10:00:00.000Z or earlier' },
    ]);
  });

  it('asap waits for the longest lead time of all', () => {
    expect(earliestStart([limited, { ...limited, flight: { ...limited.flight, lead_time_days: 7 } }], ORDERED)).toBe(
      ORDERED + 7 * DAY_MS,
    );
  });
});
