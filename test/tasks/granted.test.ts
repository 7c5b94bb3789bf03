import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsNow, termsOfUpdate } from '../../src/tasks/update-media-buy/granted.ts';
import { planUpdate } from '../../src/tasks/update-media-buy/plan.ts';
import type { UpdateFacts } from '../../src/tasks/update-media-buy/plan.ts';
import { Updates } from '../../src/tasks/update-media-buy/schema.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { demoCatalog } from '../sales/support/demo-catalog.ts';

const NONE_ADDED = {
  catalog: await demoCatalog(),
  creativeProblems: [],
  broughtProblems: [],
  nameOf: (id: string) => id,
};

const NO_LIBRARY = { owner: { organization_id: sampleMediaBuy().organization_id }, seen: new Map(), held: new Map() };

const OFFERED = {
  ...{ countries: ['US', 'CA'], regions: [], devices: [], languages: [], audiences: [] },
  ...{ dayparting: false, frequency_cap: false },
};
const BUY = sampleMediaBuy({
  packages: sampleMediaBuy().packages.map((line) => ({
    ...line,
    offered_targeting: OFFERED,
  })),
});
const FLIGHT_MS = Date.parse('2026-03-10T00:00:00.000Z');
const FACTS: UpdateFacts = {
  flightMs: FLIGHT_MS,
  library: NO_LIBRARY,
  spentMinor: () => 0,
  products: [],
  ...NONE_ADDED,
};
const update = (updates: object) => ({ operation: 'update_media_buy' as const, request: { updates } });

describe('what an update would have to be granted', () => {
  const amount = fc.integer({ min: 1, max: 900_000 }).map((cents) => cents / 100);
  const overlay = fc.constantFrom({ geo: { countries: ['US'] } }, { geo: { countries: ['CA', 'US'] } }, {});
  const day = (from: number, to: number) =>
    fc.integer({ min: from, max: to }).map((date) => new Date(Date.UTC(2026, 2, date)).toISOString());
  const line = (package_id: string) =>
    fc.record(
      { package_id: fc.constant(package_id), budget: amount, targeting_overlay: overlay },
      { requiredKeys: [] },
    );
  const asked = fc.record(
    {
      budget_change: fc.oneof(amount, fc.record({ package_id: fc.constantFrom('pkg_1', 'pkg_2'), amount })),
      start_time: fc.oneof(day(11, 25), fc.constantFrom('asap', { type: 'asap' })),
      end_time: day(60, 90),
      targeting: overlay,
      packages: fc.tuple(line('pkg_1'), line('pkg_2')).map((lines) => lines.filter((one) => one.package_id)),
    },
    { requiredKeys: [] },
  );

  it('is the same for the person who looks at it as for the task that does it', () => {
    let compared = 0;
    fc.assert(
      fc.property(asked, (input) => {
        const { success, data: updates } = Updates.safeParse(input);
        if (!success) return;
        const plan = planOf(updates);
        if (plan === undefined) return;
        compared += 1;
        const terms = termsOfUpdate(BUY, updates, plan.packages);
        expect(termsNow(BUY, update(updates))).toEqual(terms);
        expect(terms.total_minor).toBe(plan.total_budget_minor);
        const isAsap = JSON.stringify(updates.start_time ?? null).includes('asap');
        expect(terms.start_time).toBe(isAsap ? 'asap' : plan.start_time);
        expect(terms.end_time).toBe(plan.end_time);
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(0);
  });

  it('is nothing where the update could not be made, or the buy is over', () => {
    const raise = update({ budget_change: 100 });
    expect(termsNow(BUY, raise)?.total_minor).toBe(1_260_050);
    expect(termsNow({ ...BUY, status: 'canceled' }, raise)).toBeUndefined();
    expect(termsNow(BUY, update({ budget_change: -20_000 }))).toBeUndefined();
    expect(termsNow(BUY, update({ packages: 'none' }))).toBeUndefined();
    const lines = BUY.packages.map((one) => ({ ...one, budget_minor: Number.MAX_SAFE_INTEGER }));
    expect(termsNow({ ...BUY, packages: lines }, update({ targeting: {} }))).toBeUndefined();
  });

  it('is the buy as it stands for one that is new, and reads targeting that 0.1.0 took unread', () => {
    const { packages: _packages, ...terms } = termsNow(BUY, { operation: 'create_media_buy', request: {} }) ?? {};
    expect(terms).toMatchObject({ base_total_minor: 0, total_minor: 1_250_050, start_time: BUY.start_time });
    expect(termsNow(BUY, update({ budget_change: 1, targeting: { geoo: 1 } }))?.total_minor).toBe(1_250_150);
  });
});

/** The plan, where the updates can be made. */
function planOf(updates: Updates) {
  try {
    return planUpdate(BUY, updates, FACTS).changed;
  } catch {
    return undefined;
  }
}
