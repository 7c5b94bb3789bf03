import { afterEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import { createFlightClock } from '../../../src/sales/flight/flight-clock.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { seededChance } from '../../support/chance.ts';
import { openSimulator } from './support/open-simulator.ts';
import type { OpenSimulator } from './support/open-simulator.ts';
import { changed, NOW, sampleAdOrder, sampleLine, withLine } from './support/sample-ad-order.ts';
import { spendOf } from './support/stated.ts';

let open: OpenSimulator;
afterEach(() => open.close());

const ID = mediaBuyId('mb_1');

/** A buy of 5,000.00 in a day, that begins as it is made. */
function dayOrder(changes: Partial<AdOrder> = {}): AdOrder {
  const dates = { start: NOW, end: toTimestamp(Date.parse(NOW) + DAY_MS) };
  return sampleAdOrder({ ...dates, lines: [sampleLine(dates)], ...changes });
}

const cut = (order: AdOrder, budget_minor: number) => changed(order, withLine(order, 0, { budget_minor }));
const spend = () => spendOf(open.simulator, ID, 'pkg_1');

describe('a budget that is cut', () => {
  it('half an hour after the last report to a cent above it: refused with the least there can be, which is then taken', async () => {
    open = await openSimulator();
    const order = dayOrder();
    await open.simulator.put(order);
    open.clock.nowMs = Date.parse('2041-03-30T12:00:00.000Z');
    const reported = await spend();
    expect(reported).toBeGreaterThan(0);
    open.clock.nowMs += HOUR_MS / 2;
    expect(await spend()).toBe(reported);
    const refused = await open.simulator.put(cut(order, reported + 1));
    expect(refused).toMatchObject({
      outcome: 'refused',
      reasons: [{ code: 'budget_below_spend', pointer: '/lines/0/budget_minor', package_id: 'pkg_1' }],
    });
    const least = refused.outcome === 'refused' ? (refused.reasons[0]?.least_minor ?? 0) : 0;
    expect(least).toBeGreaterThan(reported + 1);
    expect(await open.simulator.check(changed(cut(order, least - 1), { version: 3 }))).toMatchObject({
      outcome: 'refused',
      reasons: [{ least_minor: least }],
    });
    expect(await open.simulator.put(changed(cut(order, least), { version: 3 }))).toMatchObject({ outcome: 'done' });
    const held = await open.simulator.read(ID);
    expect(held).toMatchObject({ version: 3, lines: [{ state: 'completed' }] });
    open.clock.nowMs += 2 * DAY_MS;
    expect(await spend()).toBe(least);
  });

  it.each([{ speed: 600 }, { speed: 43_200 }])(
    'fifty times at any instant, at $speed: nothing is ever spent above the budget in force',
    async ({ speed }) => {
      const chance = seededChance(`cuts at ${speed}`);
      const between = (least: number, most: number) => chance.between(least, most);
      open = await openSimulator('sqlite', { clockSpeed: speed });
      for (let n = 0; n < 50; n += 1) {
        const media_buy_id = mediaBuyId(`mb_${n}`);
        const created_at = toTimestamp(open.clock.nowMs);
        const dates = { start: created_at, end: toTimestamp(open.clock.nowMs + 3 * DAY_MS) };
        const model = n % 2 === 0 ? ('cpm' as const) : ('flat-fee' as const);
        const pricing = { model, rate_minor: model === 'cpm' ? between(100, 3000) : 500_000 };
        const order = dayOrder({ media_buy_id, created_at, ...dates, lines: [sampleLine({ ...dates, pricing })] });
        const flight = createFlightClock(open.clock, speed);
        await open.simulator.put(order);
        const passUntil = (flightMs: number) => {
          open.clock.nowMs = flight.wallAt(order, flightMs);
        };
        const [bookedMs, endMs] = [Date.parse(created_at), Date.parse(dates.end)];
        passUntil(bookedMs + between(1, 60) * HOUR_MS + between(0, HOUR_MS));
        const spent = await spendOf(open.simulator, media_buy_id, 'pkg_1');
        passUntil(flight.now(order) + between(0, 2 * HOUR_MS));
        const wanted = spent + between(0, 30_000);
        const answer = await open.simulator.put(cut(order, wanted));
        const least = answer.outcome === 'refused' ? (answer.reasons[0]?.least_minor ?? 0) : wanted;
        if (answer.outcome === 'refused') {
          expect(least).toBeGreaterThan(wanted);
          const again = changed(cut(order, least), { version: 3 });
          expect(await open.simulator.put(again)).toMatchObject({ outcome: 'done' });
        }
        passUntil(endMs + DAY_MS);
        const billed = await spendOf(open.simulator, media_buy_id, 'pkg_1');
        expect(billed).toBeLessThanOrEqual(least);
        expect(billed).toBeGreaterThanOrEqual(spent);
      }
    },
  );
});
