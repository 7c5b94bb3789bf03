import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/platform/hours.ts';
import { sumMeasures } from '../../../src/sales/delivery/measure.ts';
import { readDelivery } from '../../../src/sales/delivery/read-delivery.ts';
import { openOrders } from '../ad-order/support/open-orders.ts';
import type { Orders } from '../ad-order/support/open-orders.ts';

let at: Orders;
afterEach(() => at.close());

it('[B6.cuts] what an ad server delivers beyond a budget is told to the operator, and not billed', async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = pino({ level: 'warn', base: null, timestamp: false }, { write });
  at = await openOrders('sqlite', (store) => store, { budgetCut: 'after_pause' }, log);
  const buy = await at.running();
  await at.flights.open(buy);
  const { media_buy_id, packages, currency } = buy;
  const [{ package_id, budget_minor } = { package_id: '', budget_minor: 0 }] = packages;
  // A person at the ad server has made it larger there.
  await at.controls.take({ trafficker: { media_buy_id, package_id, action: 'edit', budget_minor: 3 * budget_minor } });
  for (const days of [8, 8, 8]) {
    at.clock.advance(days * DAY_MS);
    await at.flights.processDue();
  }
  const [over, ...others] = (await at.desk.show(media_buy_id)).over_delivery;
  expect(others).toEqual([]);
  expect(over).toMatchObject({ package_id });
  expect(over?.spend_minor).toBeGreaterThan(budget_minor);
  const facts = await readDelivery(at.facts, media_buy_id, { fromMs: 0, untilMs: at.clock.now() }, 'day');
  const its = facts.filter((fact) => fact.package_id === package_id);
  expect(sumMeasures(its).spend_minor).toBe(budget_minor);
  const told = lines.filter(({ over_delivery }) => over_delivery !== undefined);
  const { impressions, spend_minor } = over ?? {};
  expect(told.at(-1)).toMatchObject({
    media_buy_id,
    package_id,
    over_delivery: { impressions, spend_minor, currency },
  });
});
