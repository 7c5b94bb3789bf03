import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/platform/hours.ts';
import { readDelivery } from '../../src/sales/delivery/read-delivery.ts';
import { sumMeasures } from '../../src/sales/delivery/measure.ts';
import { isTerminalBuy } from '../../src/sales/media-buy/transitions.ts';
import { mediaBuyId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { mortal } from './support/mortal-store.ts';
import { openReporting } from './support/open-reporting.ts';
import type { OpenReporting, Worker } from './support/open-reporting.ts';

let open: OpenReporting | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** What happens at once: how far the clock is moved, and whether a worker dies on the way, at which of its writes. */
const step = fc.record({
  moveMs: fc.constantFrom(600_000, HOUR_MS, 5 * HOUR_MS, 26 * HOUR_MS, -2 * HOUR_MS, -26 * HOUR_MS),
  dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 9 }), when: fc.constantFrom('before', 'after') })),
});
const story = fc.record({
  steps: fc.array(step, { minLength: 6, maxLength: 14 }),
  reporting_frequency: fc.constantFrom('hourly', 'daily'),
  buyer_ref: fc.constantFrom('plain', 'late sim-delay', 'counted sim-correct'),
});

describeOnStores('on %s', (kind) => {
  it('[W10] no period is skipped or repeated and no number left out, with two workers, kills at any write and clocks that jump', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ steps, reporting_frequency, buyer_ref }) => {
        await open?.close();
        open = await openReporting(kind);
        const { clock } = open;
        const buy = await open.book({ buyer_ref, days: 2 });
        await open.report(buy, { reporting_frequency });
        for (const { moveMs, dies } of steps) {
          clock.advance(moveMs);
          const killed = dies === null ? open : await open.worker((store) => mortal(dies.at, dies.when).wrap(store));
          await Promise.all([open, killed].map((worker) => worker.work().catch(() => undefined)));
        }
        await bringToAnEnd(open, open);
        await expectAWholeSeries(open, buy.media_buy_id);
      }),
      { numRuns: kind === 'sqlite' ? 5 : 2 },
    );
  });
});

/** Whatever clocks have done: lets time pass until nothing is owed. */
async function bringToAnEnd({ clock, schedules, sales }: OpenReporting, worker: Worker): Promise<void> {
  for (let i = 0; i < 60; i++) {
    clock.advance(6 * HOUR_MS);
    await worker.work();
    const buy = await sales.mediaBuys.get('mb_1');
    const owed = await schedules.get(mediaBuyId('mb_1'));
    if (buy !== undefined && isTerminalBuy(buy.status) && owed?.due_at === null) return;
  }
  throw new Error('it never ended');
}

async function expectAWholeSeries(opened: OpenReporting, media_buy_id: string): Promise<void> {
  const { sales } = opened;
  const reports = (await opened.sent(media_buy_id))
    .map(({ result }) => result)
    .sort((a, b) => a.sequence_number - b.sequence_number);
  expect(reports.map(({ sequence_number }) => sequence_number)).toEqual(reports.map((_, i) => i + 1));
  const of = (type: string) => reports.filter(({ notification_type }) => notification_type === type);
  const buy = await sales.mediaBuys.get(media_buy_id);
  const periods = of('scheduled').map(({ reporting_period }) => reporting_period);
  const [final, ...more] = of('final');
  expect(more).toEqual([]);
  expect(reports.at(-1)).toBe(final);
  expect(final?.reporting_period).toEqual({ start: buy?.start_time, end: buy?.end_time });
  expect([periods[0]?.start, periods.at(-1)?.end]).toEqual([buy?.start_time, buy?.end_time]);
  expect(periods.slice(1).map(({ start }) => start)).toEqual(periods.slice(0, -1).map(({ end }) => end));
  const announced = of('delayed').map(({ reporting_period }) => reporting_period.start);
  expect(new Set(announced).size).toBe(announced.length);
  for (const { start, end } of periods) {
    const newest = reports.findLast(
      ({ notification_type, reporting_period }) => notification_type !== 'final' && reporting_period.start === start,
    );
    const range = { fromMs: Date.parse(start), untilMs: Date.parse(end) };
    const { impressions } = sumMeasures(await readDelivery(sales.facts, mediaBuyId(media_buy_id), range, 'hour'));
    expect(newest?.media_buy_deliveries[0]?.totals['impressions']).toBe(impressions);
  }
  expect(Date.parse(buy?.end_time ?? '') - Date.parse(buy?.start_time ?? '')).toBe(2 * DAY_MS);
}
