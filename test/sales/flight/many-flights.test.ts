import { afterEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { Description } from '../../../src/sales/ad-server/description.ts';
import { Broken } from '../../../src/sales/ad-server/faults.ts';
import type { Statement, StatementQuery } from '../../../src/sales/ad-server/statement.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { openOrders } from '../ad-order/support/open-orders.ts';
import type { Orders } from '../ad-order/support/open-orders.ts';

const MINUTE_MS = 60_000;

let at: Orders;
afterEach(() => at.close());

/** Running buys, all looked after and recorded up to the hour. */
async function begin(count: number): Promise<MediaBuy[]> {
  at = await openOrders();
  const buys: MediaBuy[] = [];
  for (let i = 0; i < count; i++) {
    const buy = await at.running();
    await at.flights.open(buy);
    buys.push(buy);
  }
  await at.flights.processDue();
  return buys;
}

/** To one minute after the next whole hour. */
function nextHour(): void {
  at.clock.advance(HOUR_MS - (at.clock.now() % HOUR_MS) + MINUTE_MS);
}

/** What a worker does time and again. */
async function work(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 5) {
    at.clock.advance(5 * MINUTE_MS);
    await at.flights.processDue();
    await at.desk.lookDue();
    await at.courier.tellDue();
  }
}

const recordedUntil = async ({ media_buy_id }: MediaBuy) => (await at.flights.get(media_buy_id))?.recorded_until;
const hourNow = () => toTimestamp(at.clock.now() - (at.clock.now() % HOUR_MS));

/** What the ad server answers about statements, with what becomes of each. */
function statements(change: (query: StatementQuery, answer: () => Promise<Statement>) => Promise<Statement>): void {
  const { adServer } = at;
  const ask = adServer.statements.bind(adServer);
  adServer.statements = (query) => change(query, () => ask(query));
}

describe('many flights', () => {
  it('of 200 that nothing happens to cost one report and at most 20 calls an hour', { timeout: 120_000 }, async () => {
    const buys = await begin(200);
    await work(60);
    at.calls.length = 0;
    const hours = 2;
    await work(hours * 60);
    expect(at.calls.filter((call) => call === 'statements').length).toBeLessThanOrEqual(hours);
    expect(at.calls.length).toBeLessThanOrEqual(20 * hours);
    for (const buy of buys.slice(-3)) expect(await recordedUntil(buy)).toBe(hourNow());
  });

  it('of which one is lied about: the others are recorded, and that one once it is told the truth', async () => {
    const [liedAbout, ...others] = await begin(5);
    if (liedAbout === undefined) throw new Error('no buy was made');
    let isLying = true;
    statements(async (_, answer) => {
      const statement = await answer();
      const isAbout = ({ media_buy_id }: { media_buy_id: string }) => media_buy_id === liedAbout.media_buy_id;
      const lie = <R extends (typeof statement.rows)[number]>(row: R): R =>
        isLying && isAbout(row) ? { ...row, counts: { ...row.counts, impressions: -1 } } : row;
      return { ...statement, rows: statement.rows.map(lie) };
    });
    const before = await recordedUntil(liedAbout);
    nextHour();
    await at.flights.processDue();
    for (const buy of others) expect(await recordedUntil(buy)).toBe(hourNow());
    expect(await at.flights.get(liedAbout.media_buy_id)).toMatchObject({ recorded_until: before, is_delayed: true });
    isLying = false;
    nextHour();
    await at.flights.processDue();
    expect(await recordedUntil(liedAbout)).toBe(hourNow());
  });

  it('of which one breaks the answer for all: it is found by halves, and the others are recorded', async () => {
    const [breaking, ...others] = await begin(8);
    statements((query, answer) => {
      const breaks = breaking !== undefined && query.media_buy_ids.includes(breaking.media_buy_id);
      return breaks ? Promise.reject(new Broken('no statement')) : answer();
    });
    nextHour();
    await at.flights.processDue();
    for (const buy of others) expect(await recordedUntil(buy)).toBe(hourNow());
    expect(breaking && (await recordedUntil(breaking))).not.toBe(hourNow());
  });

  it('wait where an ad server has no report left, and are recorded once it has', async () => {
    const buys = await begin(3);
    const { adServer } = at;
    const described: Description = await adServer.describe();
    adServer.describe = () => Promise.resolve({ ...described, limits: { ...described.limits, reports_per_hour: 1 } });
    at.clock.advance(2 * HOUR_MS);
    await at.flights.processDue();
    at.calls.length = 0;
    const [first] = buys;
    if (first === undefined) throw new Error('no buy was made');
    await at.flights.process(first.media_buy_id);
    expect(at.calls).toEqual([]);
    at.clock.advance(30 * MINUTE_MS);
    await at.flights.processDue();
    expect(at.calls).toEqual([]);
    at.clock.advance(HOUR_MS);
    await at.flights.processDue();
    expect(at.calls).toEqual(['statements']);
    for (const buy of buys) expect(await recordedUntil(buy)).toBe(hourNow());
  });

  it('a touch within the hour asks nothing anew', async () => {
    const [buy] = await begin(1);
    nextHour();
    await at.flights.processDue();
    at.calls.length = 0;
    for (let i = 0; i < 3; i++) {
      at.clock.advance(MINUTE_MS);
      if (buy !== undefined)
        await at.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, flight_due_at: row.created_at }));
      await at.flights.processDue();
    }
    expect(at.calls).toEqual([]);
  });

  it('[B9.stopped] one whose line falls silent is looked at at once, however many there are', async () => {
    const [buy] = await begin(15);
    if (buy === undefined) throw new Error('no buy was made');
    await work(60);
    const { media_buy_id, packages } = buy;
    nextHour();
    await at.flights.processDue();
    await at.controls.take({
      trafficker: { media_buy_id, package_id: packages[0]?.package_id ?? '', action: 'pause' },
    });
    await at.adOrders.update(media_buy_id, (row) => ({ ...row, look_due_at: toTimestamp(at.clock.now() + 9e8) }));
    for (let hour = 0; hour < 2; hour++) {
      nextHour();
      await at.flights.processDue();
      await at.desk.lookDue();
    }
    const { rows } = await at.impairments.find({ where: { media_buy_id, open: true } });
    expect(rows).toMatchObject([{ reason_code: 'stopped_by_seller' }]);
  });
});
