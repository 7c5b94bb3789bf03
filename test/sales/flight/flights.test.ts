import { afterEach, describe, expect, it } from 'vitest';
import { composeSales } from '../../../src/main/wiring/sales.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import { DeliveryDays, DeliveryMonths } from '../../../src/sales/delivery/delivery-facts.ts';
import { sumMeasures } from '../../../src/sales/delivery/measure.ts';
import { readCorrections, readDelivery } from '../../../src/sales/delivery/read-delivery.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { transitionBuy } from '../../../src/sales/media-buy/transitions.ts';
import { mortal } from '../../reporting/support/mortal-store.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { openSales } from '../support/open-sales.ts';
import type { OpenSales } from '../support/open-sales.ts';
import { sampleCreative } from '../support/sample-creative.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const BUY_ID = mediaBuyId('mb_1');

const BOOKED = '2026-03-30T09:17:00.000Z';
const START = '2026-04-01T00:00:00.000Z';
const END = '2026-04-11T06:30:00.000Z';
/** What a process that died had taken up is free again after this long. */
const LEASE_MS = 30_000;
const ALL = { fromMs: 0, untilMs: Date.parse('2027-01-01') };

let sales: OpenSales;
afterEach(() => sales.close());

/** A buy of two packages that waits for its start, known to the ad server and looked after. */
async function begin(changes: Partial<MediaBuy> = {}): Promise<MediaBuy> {
  sales = await openSales({ at: BOOKED });
  await sales.creatives.insert(sampleCreative());
  const sample = sampleMediaBuy();
  const buy = {
    ...sample,
    packages: sample.packages.map((line) => ({ ...line, creative_ids: ['c1'] })),
    pending_reason: 'start_time' as const,
    start_time: START,
    end_time: END,
    created_at: BOOKED,
    ...changes,
  };
  await sales.mediaBuys.insert(buy);
  await sales.flights.open(buy);
  await sales.flights.processDue();
  return buy;
}

const facts = () => ({ days: sales.store.collection(DeliveryDays), months: sales.store.collection(DeliveryMonths) });
const totals = async (by: 'hour' | 'day' = 'day', range = ALL) =>
  sumMeasures(await readDelivery(facts(), BUY_ID, range, by));

/** Lets time pass in steps, looking at what is due at each, as a worker does. */
async function pass(until: string, stepMs = 3 * HOUR_MS): Promise<MediaBuy> {
  const untilMs = Date.parse(until);
  while (sales.clock.nowMs < untilMs) {
    sales.clock.nowMs = Math.min(untilMs, sales.clock.nowMs + stepMs);
    await sales.flights.processDue();
  }
  return stored();
}

async function stored(): Promise<MediaBuy> {
  const buy = await sales.mediaBuys.get('mb_1');
  if (buy === undefined) throw new Error('the buy is gone');
  return buy;
}

async function change(edit: (buy: MediaBuy) => MediaBuy): Promise<void> {
  await sales.mediaBuys.update('mb_1', edit);
  await sales.flights.process(BUY_ID);
}

describe('a flight', () => {
  it('[B2] begins at its start and is completed at its end, each once, by time alone', async () => {
    await begin();
    expect(await pass('2026-03-31T23:59:59.000Z')).toMatchObject({ status: 'pending', revision: 1 });
    expect(await pass('2026-04-01T00:00:01.000Z')).toMatchObject({ status: 'active', revision: 2 });
    const buy = await pass('2026-04-13T00:00:00.000Z');
    expect(buy.status).toBe('completed');
    expect(buy.history.map(({ action }) => action)).toEqual(['created', 'activated', 'completed']);
    expect(await sales.flights.processDue()).toBe(0);
  });

  it('[B10] spends the whole budget, to the cent, and no more, and the hours, days and packages add up', async () => {
    const { packages } = await begin();
    await pass('2026-04-13T00:00:00.000Z', 5 * HOUR_MS);
    const byHour = await readDelivery(facts(), BUY_ID, ALL, 'hour');
    const byDay = await readDelivery(facts(), BUY_ID, ALL, 'day');
    for (const { package_id, budget_minor } of packages) {
      const mine = sumMeasures(byHour.filter((fact) => fact.package_id === package_id));
      expect(sumMeasures(byDay.filter((fact) => fact.package_id === package_id))).toEqual(mine);
      expect(mine.spend_minor).toBeLessThanOrEqual(budget_minor);
      expect(mine.spend_minor).toBeGreaterThanOrEqual(budget_minor - 2);
    }
    expect(byHour.length).toBeGreaterThan(2 * 240);
  });

  it('[B5.package-flight] a package with a flight of its own delivers in that alone, spends all of its budget there, and no more', async () => {
    const own = { start_time: '2026-04-03T05:00:00.000Z', end_time: '2026-04-05T11:00:00.000Z' };
    const packages = sampleMediaBuy().packages.map((line, i) => ({
      ...{ ...line, creative_ids: ['c1'] },
      ...(i === 1 && own),
    }));
    await begin({ packages });
    await pass('2026-04-13T00:00:00.000Z');
    const byHour = (await readDelivery(facts(), BUY_ID, ALL, 'hour')).filter(({ impressions }) => impressions > 0);
    const [whole, part] = packages.map(({ package_id }) => byHour.filter((fact) => fact.package_id === package_id));
    const hours = (part ?? []).map(({ fromMs }) => fromMs);
    expect(hours[0]).toBe(Date.parse(own.start_time));
    expect(hours.at(-1)).toBeLessThan(Date.parse(own.end_time));
    expect(whole?.length).toBeGreaterThan(hours.length);
    const { spend_minor } = sumMeasures(part ?? []);
    const budget_minor = packages[1]?.budget_minor ?? 0;
    expect(spend_minor).toBeLessThanOrEqual(budget_minor);
    expect(spend_minor).toBeGreaterThanOrEqual(budget_minor - 2);
    expect(await stored()).toMatchObject({ status: 'completed' });
    expect(await sales.flights.get(BUY_ID)).toMatchObject({ is_delayed: false, due_at: null });
  });

  it('delivers the same whether it is looked at each hour or once in a while', async () => {
    await begin();
    await pass('2026-04-06T00:00:00.000Z', HOUR_MS);
    const often = await readDelivery(facts(), BUY_ID, ALL, 'hour');
    await sales.close();
    await begin();
    await pass('2026-04-06T00:00:00.000Z', 2 * DAY_MS);
    expect(await readDelivery(facts(), BUY_ID, ALL, 'hour')).toEqual(often);
  });

  it('delivers nothing while paused, and catches up after', async () => {
    await begin();
    await pass('2026-04-03T00:00:00.000Z');
    const cause = { at: toTimestamp(sales.clock.now()), action: 'paused', actor: 'buyer' as const };
    await change((buy) => transitionBuy(buy, 'paused', cause));
    const before = await totals();
    await pass('2026-04-05T00:00:00.000Z');
    expect(await totals()).toEqual(before);
    await change((buy) => transitionBuy(buy, 'active', cause));
    await pass('2026-04-13T00:00:00.000Z');
    expect((await totals()).spend_minor).toBeGreaterThanOrEqual(1_250_050 - 4);
    expect((await totals()).spend_minor).toBeLessThanOrEqual(1_250_050);
  });

  it('a package without an approved creative delivers nothing', async () => {
    await begin();
    await pass('2026-04-03T00:00:00.000Z');
    await sales.creatives.update('org_1/c1', (row) => ({ ...row, status: 'suspended' }));
    await sales.flights.process(BUY_ID);
    const before = await totals();
    await pass('2026-04-05T00:00:00.000Z');
    expect(await totals()).toEqual(before);
  });

  it('[B2] is completed when its budget is spent, and a smaller budget is never gone over', async () => {
    await begin();
    await pass('2026-04-05T00:00:00.000Z');
    const spent = await readDelivery(facts(), BUY_ID, ALL, 'day');
    const budgets = new Map<string, number>();
    for (const { package_id, spend_minor } of spent) {
      budgets.set(package_id, (budgets.get(package_id) ?? 0) + spend_minor);
    }
    await change((buy) => ({
      ...buy,
      packages: buy.packages.map((line) => ({ ...line, budget_minor: budgets.get(line.package_id) ?? 0 })),
    }));
    const buy = await stored();
    expect(buy.status).toBe('completed');
    expect(buy.history.at(-1)?.note).toBe('budget spent');
    expect((await totals()).spend_minor).toBe(sumMeasures(spent).spend_minor);
  });

  it('[B10] reports a day late when told to, and says so meanwhile', async () => {
    await begin({ buyer_ref: 'late sim-delay' });
    await pass('2026-04-03T12:00:00.000Z');
    const after = { fromMs: Date.parse('2026-04-02T12:00:00.000Z'), untilMs: ALL.untilMs };
    expect((await totals('hour', after)).impressions).toBe(0);
    expect(await sales.flights.get(BUY_ID)).toMatchObject({ is_delayed: true });
    await pass('2026-04-13T00:00:00.000Z');
    expect(await sales.flights.get(BUY_ID)).toMatchObject({ is_delayed: false, due_at: null });
    expect((await totals()).spend_minor).toBeGreaterThanOrEqual(1_250_050 - 4);
  });

  it('[B10] late corrections change history once, and are visible', async () => {
    await begin({ buyer_ref: 'counted sim-correct' });
    await pass('2026-04-03T05:59:00.000Z');
    const noon = { fromMs: Date.parse('2026-04-02T12:00:00Z'), untilMs: Date.parse('2026-04-02T13:00:00Z') };
    const before = await totals('hour', noon);
    await pass('2026-04-03T08:00:00.000Z');
    const corrected = await totals('hour', noon);
    const corrections = await readCorrections(facts(), BUY_ID, noon);
    expect(corrections.map(({ package_id }) => package_id)).toEqual(['pkg_1', 'pkg_2']);
    expect(sumMeasures(corrections.map((one) => one.before))).toEqual(before);
    expect(sumMeasures(corrections.map((one) => one.after))).toEqual(corrected);
    expect(corrected.impressions).toBeLessThan(before.impressions);
    await pass('2026-04-13T00:00:00.000Z');
    const byHour = await totals('hour');
    expect(await totals('day')).toEqual(byHour);
    expect(byHour.spend_minor).toBeLessThanOrEqual(1_250_050);
  });

  it('is looked after by several workers at once without anything being counted or moved twice', async () => {
    await begin();
    for (let i = 0; i < 20; i++) {
      sales.clock.nowMs += 17 * HOUR_MS;
      await Promise.all(Array.from({ length: 6 }, () => sales.flights.process(BUY_ID)));
    }
    const { history } = await stored();
    expect(history.map(({ action }) => action)).toEqual(['created', 'activated', 'completed']);
    const { spend_minor } = await totals('hour');
    expect(spend_minor).toBeLessThanOrEqual(1_250_050);
    expect(spend_minor).toBeGreaterThanOrEqual(1_250_050 - 4);
    expect(await totals('day')).toEqual(await totals('hour'));
  });

  it('[B2] [B10] looked after by a process that dies after any of its writes, moves once and counts each hour once', async () => {
    const [end_time, afterwards] = ['2026-04-01T06:30:00.000Z', '2026-04-01T10:00:00.000Z'];
    const looks = [START, '2026-04-01T03:30:00.000Z', end_time, afterwards];
    const story = async (mortalStore: (store: Store) => Store) => {
      await begin({ end_time });
      const { store, clock } = sales;
      const { flights } = composeSales({ store: mortalStore(store), clock, log: createLogger('silent'), simSpeed: 1 });
      for (const at of looks) {
        clock.nowMs = Date.parse(at);
        await flights.processDue();
        clock.nowMs += LEASE_MS;
        await sales.flights.processDue();
      }
      const { status, history } = await stored();
      const told = {
        status,
        actions: history.map(({ action }) => action),
        hours: await readDelivery(facts(), BUY_ID, ALL, 'hour'),
      };
      await sales.close();
      return told;
    };
    const undisturbed = await story((store) => store);
    expect(undisturbed).toMatchObject({ status: 'completed', actions: ['created', 'activated', 'completed'] });
    const diedAt = new Set<string>();
    for (let n = 1; ; n++) {
      const death = mortal(n, 'after');
      expect(await story((store) => death.wrap(store))).toEqual(undisturbed);
      const collection = death.diedAt();
      if (collection === undefined) break;
      diedAt.add(collection);
    }
    const all = [
      ...['ad_orders', 'ad_servers', 'asked_reports', 'delivery_books', 'delivery_days', 'delivery_months'],
      ...['media_buys', 'simulated_orders_by_version', 'simulated_stated_days'],
    ];
    expect([...diedAt].sort()).toEqual(all);
  });

  it('that ends before it could begin is canceled', async () => {
    await begin();
    await sales.creatives.update('org_1/c1', (row) => ({ ...row, status: 'suspended' }));
    const buy = await pass('2026-04-12T00:00:00.000Z', DAY_MS);
    expect(buy).toMatchObject({ status: 'canceled', open: false });
  });
});
