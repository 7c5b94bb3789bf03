import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MoneyBars } from '../../../src/admin/console/parts/money-bars.tsx';
import type { TurnoverView } from '../../../src/admin/operator/stats/operations.ts';
import { fromTimestamp, toTimestamp } from '../../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import { minorOf } from '../../../src/platform/money.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { bookedFacts } from '../../../src/sales/statement/delivery-book.ts';
import { openBook } from '../../../src/sales/statement/open-book.ts';
import { recordStatement } from '../../../src/sales/statement/record-statement.ts';
import { sumTurnover } from '../../../src/sales/turnover/sum-turnover.ts';
import type { DeliveryRow } from '../../../src/tasks/get-media-buy-delivery/schema.ts';
import { testClock } from '../../directory/support/installation.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { BUYER, result } from '../../tasks/support/calls.ts';
import { mediaBuyId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';

describe('[O1.money] bars of money by day', () => {
  const drawn = (days: TurnoverView['days']) =>
    (<MoneyBars of={{ currency: 'USD', booked: 1250.5, delivered: 40, days }} />).toString();
  const bars = (html: string) =>
    [...html.matchAll(/<rect class="([^"]+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)].map(
      ([, kind, ...numbers]) => [kind, ...numbers.map(Number)],
    );

  it('stand beside each other, the highest as high as there is room, with the same in words and in numbers', () => {
    const html = drawn([
      { day: '2026-04-01', booked: 1250.5, delivered: 40 },
      { day: '2026-04-02', booked: 0 },
    ]);
    expect(bars(html)).toEqual([
      ['bar booked', 36.8, 12, 184, 108],
      ['bar', 230, 116.5, 184, 3.5],
    ]);
    const words = 'Booked 1,250.50 USD, delivered 40.00 USD.';
    expect(html).toContain(`aria-label="USD by day. ${words}"`);
    expect(html).toContain(`<p>${words}</p>`);
    expect(html).toContain('<title>2026-04-02: booked 0.00 USD, delivered not summed yet</title>');
    const cells = [...html.matchAll(/<td[^>]*>(?:<[^>]+>)?([^<]*)/g)].map(([, cell]) => cell);
    expect(cells).toEqual(['2026-04-02', '0.00 USD', '-', '2026-04-01', '1,250.50 USD', '40.00 USD']);
  });

  it('are none where there is nothing', () => {
    expect(bars(drawn([]))).toEqual([]);
    expect(bars(drawn([{ day: '2026-04-01', booked: 0, delivered: 0 }]))).toEqual([]);
  });
});

describeOnStores('[O1.money] the overview tells money by day, on %s', (store) => {
  const clock = testClock();
  let agent: TestAgent;
  let buys: MediaBuy[];
  const sum = async () => {
    clock.advance(60_000);
    await sumTurnover(agent.core);
  };
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false, clock });
    const firstMs = Math.floor(clock.now() / DAY_MS) * DAY_MS - 5 * DAY_MS;
    buys = ['USD', 'USD', 'EUR'].map((currency, i) =>
      sampleMediaBuy({
        ...{ media_buy_id: mediaBuyId(`mb_${i}`), task_id: taskId(`task_${i}`), buyer_ref: `campaign-${i}`, currency },
        organization_id: BUYER.organization_id,
        ...{ created_at: toTimestamp(firstMs), updated_at: toTimestamp(firstMs) },
        ...{ start_time: toTimestamp(firstMs), end_time: toTimestamp(firstMs + 20 * DAY_MS) },
      }),
    );
    for (const buy of buys) await agent.core.store.collection(agent.core.sales.mediaBuys.spec).insert(buy);
  });
  afterAll(() => agent.stop());

  /** The ad server says what each hour of three days has come to, to both packages of a buy. */
  async function state(buy: MediaBuy, impressions: (hour: number) => number): Promise<void> {
    const { media_buy_id, created_at, start_time: start, end_time: end } = buy;
    const facts = bookedFacts(agent.core);
    const until = toTimestamp(fromTimestamp(start) + 3 * DAY_MS);
    const lines = buy.packages.map(({ package_id, budget_minor }, i) => ({
      ...{ package_id, model: 'cpm' as const, budget_minor, start, end },
      prices: [{ from: start, rate_minor: 337 + i }],
    }));
    const terms = { media_buy_id, created_at, now: toTimestamp(clock.now()), lines };
    const book = await openBook(facts, terms);
    const rows = lines.flatMap(({ package_id }, i) =>
      Array.from({ length: 72 }, (_, hour) => ({
        ...{ media_buy_id, package_id, hour: toTimestamp(fromTimestamp(start) + hour * HOUR_MS) },
        counts: { impressions: impressions(hour) + i, clicks: 0 },
      })),
    );
    const recorded = await recordStatement(facts, {
      ...{ buys: [{ terms, book }], query: { from: start, until }, statement: { complete_until: until, rows } },
      ...{ described: { offset_minutes: 0, spend: 'computed' }, recorded_at: toTimestamp(clock.now()) },
    });
    expect(recorded).toMatchObject({ outcome: 'recorded' });
  }

  const stats = async () =>
    (await operate(agent, 'GET', '/stats')).body as { money: TurnoverView[]; money_until?: string };

  /** What buyers are told of all buys, in minor units by currency and day. */
  async function asBuyersAreTold(): Promise<Record<string, number>> {
    const date_range = {
      start: toTimestamp(clock.now() - 20 * DAY_MS).slice(0, 10),
      end: toTimestamp(clock.now()).slice(0, 10),
    };
    const media_buy_ids = buys.map(({ media_buy_id }) => media_buy_id);
    const answer = await result(agent, 'get_media_buy_delivery', { media_buy_ids, granularity: 'daily', date_range });
    const sums: Record<string, number> = {};
    for (const { currency, timeseries } of answer['media_buy_deliveries'] as DeliveryRow[]) {
      for (const { start, spend } of timeseries) {
        const key = `${currency} ${start.slice(0, 10)}`;
        if (spend > 0) sums[key] = (sums[key] ?? 0) + minorOf(spend, currency);
      }
    }
    return sums;
  }
  const asCharted = ({ money }: { money: TurnoverView[] }) =>
    Object.fromEntries(
      money.flatMap(({ currency, days }) =>
        days
          .filter(({ delivered = 0 }) => delivered > 0)
          .map(({ day, delivered = 0 }) => [`${currency} ${day}`, minorOf(delivered, currency)]),
      ),
    );

  it('says nothing of it where nothing was sold, or summed', async () => {
    expect(await stats()).not.toHaveProperty('money_until');
    expect(textOf((await (await visitorOf(agent, 'viewer')).get('')).html)).not.toContain('Money by day');
  });

  it('to the cent what get_media_buy_delivery tells of all buys, before and after days are stated otherwise', async () => {
    for (const [i, buy] of buys.entries()) await state(buy, (hour) => 1_000 + 7 * hour + i);
    await sum();
    const before = await asBuyersAreTold();
    expect(Object.keys(before)).toHaveLength(6);
    expect(asCharted(await stats())).toEqual(before);
    // Two days of two buys, less and more than before.
    for (const buy of buys.slice(1)) await state(buy, (hour) => (hour % 40 === 5 ? 3 : 1_200 + hour));
    await sum();
    const after = await asBuyersAreTold();
    expect(Object.keys(after).filter((key) => after[key] === before[key])).toEqual([]);
    expect(asCharted(await stats())).toEqual(after);
  });

  it('as bars, in words and in numbers, with the budgets booked on their day, to whoever may look', async () => {
    const { money, money_until } = await stats();
    expect(money.map(({ currency, booked, days }) => [currency, booked, days.length])).toEqual([
      ['EUR', 12500.5, 30],
      ['USD', 25001, 30],
    ]);
    expect(money_until).toBe(toTimestamp(clock.now()));
    const { html } = await (await visitorOf(agent, 'viewer')).get('');
    expect(textOf(html)).toContain('Booked 25,001.00 USD, delivered ');
    expect(html).toContain('EUR in numbers');
    expect(formsIn(html)).toEqual([]);
  });
});
