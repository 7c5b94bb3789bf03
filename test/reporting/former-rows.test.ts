import { afterEach, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/platform/hours.ts';
import { BuySchedules } from '../../src/reporting/schedule.ts';
import { FlightRows } from '../../src/sales/flight/flight.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { mediaBuyId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { mortal } from './support/mortal-store.ts';
import { openReporting } from './support/open-reporting.ts';
import type { OpenReporting } from './support/open-reporting.ts';

let open: OpenReporting;
afterEach(() => open.close());

/** Two rows to be moved, each written into the buy and taken away: a death after each of these. */
const WRITES = 4;

describeOnStores('rows that flights and reports had of their own, on %s,', (kind) => {
  it('[B10] [W10] [S6] are taken into their buys by processes that die after any write, and go on: nothing twice, nothing left out', async () => {
    open = await openReporting(kind);
    const formerRows = { flights: open.store.collection(FlightRows), schedules: open.store.collection(BuySchedules) };
    const buys: MediaBuy[] = [];
    for (let n = 1; n <= WRITES; n++) {
      const buy = await open.book({ media_buy_id: mediaBuyId(`mb_${n}`), days: 1 });
      await open.report(buy, { reporting_frequency: 'daily' });
      buys.push(buy);
    }
    const before = await open.sales.mediaBuys.getMany(buys.map(({ media_buy_id }) => media_buy_id));
    for (const [i, { media_buy_id }] of buys.entries()) {
      await putBack(open, media_buy_id);
      const death = mortal(i + 1, 'after');
      const doomed = await open.worker((store) => death.wrap(store));
      await doomed.sales.flights.processDue().catch(() => 0);
      if (!death.isDead()) await doomed.reporting.processDue().catch(() => 0);
      expect(death.diedAt()).toBeDefined();
    }
    await open.pass(26 * HOUR_MS, { stepMs: 13 * HOUR_MS });
    for (const rows of Object.values(formerRows))
      expect((await rows.find({ where: { due_at: { gt: '' } } })).rows).toEqual([]);
    const after = await open.sales.mediaBuys.getMany(buys.map(({ media_buy_id }) => media_buy_id));
    for (const { media_buy_id, revision, status } of after) {
      expect(status).toBe('active');
      // It has begun, which its buyer sees; nothing else was ever seen.
      expect(revision).toBe((before.find((buy) => buy.media_buy_id === media_buy_id)?.revision ?? 0) + 1);
    }
    await open.pass(36 * HOUR_MS, { stepMs: 12 * HOUR_MS });
    for (const { media_buy_id } of buys) {
      const reports = (await open.sent(media_buy_id)).map(({ result }) => result);
      expect(reports.map(({ sequence_number }) => sequence_number)).toEqual([1, 2]);
      expect(reports.map(({ notification_type }) => notification_type)).toEqual(['scheduled', 'final']);
    }
  });

  it('are read as long as they are not moved, also of a buy whose flight is over', async () => {
    open = await openReporting(kind);
    const buy = await open.book();
    await open.report(buy);
    const [flight, schedule] = await Promise.all([
      open.sales.flights.get(buy.media_buy_id),
      open.schedules.get(buy.media_buy_id),
    ]);
    await putBack(open, buy.media_buy_id, { due_at: null });
    expect(await open.sales.flights.get(buy.media_buy_id)).toMatchObject({
      recorded_until: flight?.recorded_until,
      due_at: null,
    });
    expect(await open.schedules.get(buy.media_buy_id)).toMatchObject({ reporting: schedule?.reporting });
    await open.report(buy, { revision: 7, reporting_frequency: 'hourly' });
    expect(await open.schedules.get(buy.media_buy_id)).toMatchObject({
      reporting: { reporting_frequency: 'hourly', set_at: expect.any(String) as string },
    });
    expect(await open.store.collection(BuySchedules).get(buy.media_buy_id)).toBeUndefined();
  });
});

/** Makes a buy what an earlier release had left of it: with two rows beside it. */
async function putBack(
  { store, sales, schedules }: OpenReporting,
  id: MediaBuy['media_buy_id'],
  changes: { due_at?: null } = {},
): Promise<void> {
  const [flight, schedule] = await Promise.all([sales.flights.get(id), schedules.get(id)]);
  if (flight === undefined || schedule === undefined) throw new Error(`${id} is not looked after`);
  await sales.mediaBuys.update(id, (buy) => {
    const {
      flight: _flight,
      flight_due_at: _due,
      reporting: _reporting,
      reporting_due_at: _reportingDue,
      ...rest
    } = buy;
    return rest;
  });
  await store.collection(FlightRows).insert({ ...flight, ...changes, revision: 1 });
  await store.collection(BuySchedules).insert({ ...schedule, ...changes, revision: 1 });
}
