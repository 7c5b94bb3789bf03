import { afterEach, expect, it } from 'vitest';
import { fromTimestamp, toTimestamp } from '../../src/platform/clock.ts';
import { DAY_MS, floorHour, HOUR_MS } from '../../src/platform/hours.ts';
import { readCorrections, readDelivery } from '../../src/sales/delivery/read-delivery.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import type { BuyTerms } from '../../src/sales/statement/buy-terms.ts';
import { DeliveryBooks } from '../../src/sales/statement/delivery-book.ts';
import { openBook } from '../../src/sales/statement/open-book.ts';
import { recordStatement } from '../../src/sales/statement/record-statement.ts';
import { bookedFacts } from '../sales/statement/support/open-facts.ts';
import { openReporting } from './support/open-reporting.ts';
import type { OpenReporting } from './support/open-reporting.ts';

let open: OpenReporting | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** A buy of which two days are reported, and what is needed to state its hours anew. */
async function twoDaysReported() {
  open = await openReporting();
  const { store, clock, sales } = open;
  store.collection(DeliveryBooks);
  await store.prepare();
  const buy = await open.book({ days: 6 });
  await open.report(buy);
  await open.pass(3 * DAY_MS + HOUR_MS);
  const facts = bookedFacts(store, clock);
  const until = toTimestamp(floorHour(clock.now()));
  const range = { fromMs: fromTimestamp(buy.start_time), untilMs: fromTimestamp(until) };
  const hours = await readDelivery(sales.facts, buy.media_buy_id, range, 'hour');
  /** The ad server says the same as before, but for these hours of the first package, which lose so many impressions. */
  const restate = async (fewer: Record<number, number>) => {
    const terms = termsOf(buy, toTimestamp(clock.now()), until);
    const rows = hours.map(({ package_id, fromMs, impressions, clicks, spend_minor }) => {
      const hour = (fromMs - range.fromMs) / HOUR_MS;
      const lost = package_id === 'pkg_1' ? (fewer[hour] ?? 0) : 0;
      const counts = { impressions: impressions - lost, clicks };
      return { media_buy_id: buy.media_buy_id, package_id, hour: toTimestamp(fromMs), counts, spend_minor };
    });
    const book = await openBook(facts, terms);
    return recordStatement(facts, {
      ...{
        buys: [{ terms, book }],
        query: { from: buy.start_time, until },
        statement: { complete_until: until, rows },
      },
      ...{ described: { offset_minutes: 0, spend: 'stated' }, recorded_at: toTimestamp(clock.now()) },
    });
  };
  return { buy, restate, range, hours };
}

function termsOf(buy: MediaBuy, now: string, recorded_until: string): BuyTerms {
  const { media_buy_id, created_at, start_time, end_time, packages } = buy;
  const lines = packages.map(({ package_id, pricing_model, budget_minor, ...line }) => ({
    ...{ package_id, model: pricing_model, budget_minor, start: start_time, end: end_time },
    prices: [{ from: start_time, rate_minor: line.bid_price_minor ?? line.price_minor ?? 0 }],
  }));
  return { media_buy_id, created_at, now, recorded_until, lines };
}

it('[W10] an hour that is restated twice between two looks is told in one adjusted report, with the newest figures', async () => {
  const { buy, restate, range, hours } = await twoDaysReported();
  if (open === undefined) throw new Error('nothing is open');
  const before = await open.sent(buy.media_buy_id);
  expect(before.map(({ result }) => result.notification_type)).toEqual(['scheduled', 'scheduled']);
  expect(await restate({ 5: 3 })).toMatchObject({ outcome: 'recorded' });
  expect(await restate({ 5: 7, 8: 1 })).toMatchObject({ outcome: 'recorded' });
  expect(await restate({ 5: 7, 8: 1 })).toMatchObject({ outcome: 'recorded' });
  const made = await readCorrections(open.sales.facts, buy.media_buy_id, range);
  const id = (hour: number, n: number) => `corr_pkg_1_${toTimestamp(range.fromMs + hour * HOUR_MS)}_${n}`;
  expect(made.map(({ correction_id }) => correction_id)).toEqual([id(5, 1), id(5, 2), id(8, 1)]);
  open.clock.advance(2 * HOUR_MS);
  await open.work();
  await open.work();
  const after = (await open.sent(buy.media_buy_id)).slice(before.length);
  expect(after.map(({ result }) => [result.notification_type, result.reporting_period.start])).toEqual([
    ['adjusted', buy.start_time],
  ]);
  const ofDay = hours.filter(({ fromMs }) => fromMs < range.fromMs + DAY_MS);
  const counted = ofDay.reduce((sum, { impressions }) => sum + impressions, 0);
  expect(after[0]?.result.media_buy_deliveries[0]?.totals['impressions']).toBe(counted - 8);
});

it('[W10] hours of two days that are restated at once are told in one adjusted report for each day', async () => {
  const { buy, restate } = await twoDaysReported();
  if (open === undefined) throw new Error('nothing is open');
  const before = await open.sent(buy.media_buy_id);
  await restate({ 5: 1, 6: 1, 30: 1 });
  open.clock.advance(2 * HOUR_MS);
  for (let i = 0; i < 3; i++) await open.work();
  const after = (await open.sent(buy.media_buy_id)).slice(before.length);
  const secondDay = toTimestamp(fromTimestamp(buy.start_time) + DAY_MS);
  expect(after.map(({ result }) => [result.notification_type, result.reporting_period.start])).toEqual([
    ['adjusted', buy.start_time],
    ['adjusted', secondDay],
  ]);
});
