import { afterEach, beforeEach, expect, it } from 'vitest';
import { readDelivery } from '../../../src/sales/delivery/read-delivery.ts';
import { mortal } from '../../reporting/support/mortal-store.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { bookedFacts, buyTerms, lineTerms, openFacts, statedRow } from './support/open-facts.ts';
import type { OpenFacts } from './support/open-facts.ts';

const RANGE = { fromMs: 0, untilMs: Date.parse('2027-01-01') };

describeOnStores('on %s', (kind) => {
  let open: OpenFacts;
  beforeEach(async () => {
    open = await openFacts(kind);
  });
  afterEach(() => open.close());

  it('[I10] a process that dies at any write of a statement makes no correction twice, leaves nothing out and bills nothing twice', async () => {
    let lived = 0;
    for (let n = 1; lived < 2; n++) {
      for (const when of ['before', 'after'] as const) {
        const media_buy_id = mediaBuyId(`mb_${n}_${when}`);
        const terms = buyTerms({ media_buy_id, lines: [lineTerms({ budget_minor: 33_000 })] });
        const row = (hour: number, count: number) => statedRow(hour, count, { media_buy_id, clicks: count % 7 });
        const first = Array.from({ length: 40 }, (_, hour) => row(hour, 1000));
        await open.record(terms, { from: 0, until: 40, rows: first });
        // Two days change, one hour falls silent, the budget is gone within the third day.
        const second = [
          ...first.filter((_, hour) => hour !== 30),
          ...Array.from({ length: 25 }, (_, i) => row(40 + i, 1000)),
        ].map((stated, i) => (i === 3 || i === 27 ? { ...stated, counts: { impressions: 1500, clicks: 1 } } : stated));
        const dying = mortal(n, when);
        const look = { from: 0, until: 65, rows: second };
        await open.look(terms, look, bookedFacts(dying.wrap(open.store))).catch(() => undefined);
        if (!dying.isDead()) lived += 1;
        await open.record(terms, look);
        await open.record(terms, { ...look, recorded_at: '2026-05-01T00:00:00.000Z' });
        const corrections = await open.corrections(terms);
        expect(corrections.map(({ correction_id }) => correction_id.slice(-2))).toEqual(['_1', '_1', '_1']);
        expect(new Set(corrections.map(({ recorded_at }) => recorded_at)).size).toBe(1);
        expect(await open.hours(terms)).toMatchObject({
          ...{ 'pkg_1/3': '1500/975/1', 'pkg_1/27': '1500/975/1', 'pkg_1/30': '0/0/0', 'pkg_1/64': '1000/0/6' },
        });
        for (const by of ['hour', 'day'] as const) {
          const facts = await readDelivery(open.facts, media_buy_id, RANGE, by);
          expect(facts.reduce((sum, { spend_minor }) => sum + spend_minor, 0)).toBe(33_000);
        }
      }
    }
  });
});
