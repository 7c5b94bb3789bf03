import { afterEach, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import { createSimulator } from './first/simulator.ts';
import { DeliveryDays, DeliveryMonths } from '../../../src/sales/delivery/delivery-facts.ts';
import { createFlightClock } from '../../../src/sales/flight/flight-clock.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { FirstBook, inFirstWords } from './support/first-book.ts';
import { openSimulator } from './support/open-simulator.ts';
import type { OpenSimulator } from './support/open-simulator.ts';
import { changed, END, sampleAdOrder, START, withLine } from './support/sample-ad-order.ts';
import { rowsOf } from './support/stated.ts';

let open: OpenSimulator;
afterEach(() => open.close());

const ID = mediaBuyId('mb_1');

/** The simulator of 0.1.0 on the same store, and what it records. */
function firstSimulator() {
  const { store, clock } = open;
  const first = createSimulator({ store, clock, flightClock: createFlightClock(clock) });
  const facts = { days: store.collection(DeliveryDays), months: store.collection(DeliveryMonths) };
  return { first, book: new FirstBook(first, clock.nowMs, facts) };
}

describeOnStores('an order of 0.1.0 on %s', (store) => {
  it('goes on as it was: the same hours as if nothing had changed hands, those of the days before among them', async () => {
    open = await openSimulator(store);
    const { first, book } = firstSimulator();
    const order = sampleAdOrder({ name: 'spring sim-correct' });
    await first.reserve(inFirstWords({ ...order, state: 'held' }));
    await first.apply(inFirstWords(order));
    const lookUntil = async (at: string) => {
      while (open.clock.nowMs < Date.parse(at)) {
        open.clock.nowMs = Math.min(Date.parse(at), open.clock.nowMs + 5 * HOUR_MS);
        await book.look(open.clock.nowMs);
      }
    };
    // Yesterday's noon is not counted anew yet.
    await lookUntil('2041-04-05T04:20:00.000Z');
    const held = await open.simulator.read(ID);
    expect(held).toMatchObject({ found: true, version: 1, state: 'running', differences: [] });
    expect(held).toMatchObject({ lines: [{ state: 'delivering', missing: [] }, { state: 'delivering' }] });
    const recent = { from: '2041-04-04T02:00:00.000Z', until: END };
    const counted = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
      rows.map(({ package_id, hour, counts: { impressions, clicks }, spend_minor = 0 }): [string, object] => [
        `${hour}/${package_id}`,
        { impressions, clicks, spend_minor },
      ]);
    const recorded = () => [...book.hours].filter(([key]) => key >= recent.from).sort(([a], [b]) => (a < b ? -1 : 1));
    const stated = async () => counted(await rowsOf(open.simulator, ID, recent)).sort(([a], [b]) => (a < b ? -1 : 1));
    expect(await stated()).toEqual(recorded());
    expect(recorded()).toHaveLength(2 * 26);
    // The same is put anew, in the words that are new: nothing is cut in two by that.
    expect(await open.simulator.put(changed(order, {}))).toMatchObject({ outcome: 'done' });
    expect(await open.simulator.read(ID)).toMatchObject({ version: 2, differences: [] });
    await lookUntil('2041-04-07T10:31:00.000Z');
    expect(await stated()).toEqual(recorded());
    const grown = changed(order, { version: 3, ...withLine(order, 0, { budget_minor: 700_000 }) });
    expect(await open.simulator.put(grown)).toMatchObject({ outcome: 'done' });
    expect(await first.apply(inFirstWords(grown))).toEqual({ applied: true });
    await lookUntil('2041-04-13T00:00:00.000Z');
    expect(await stated()).toEqual(recorded());
  });

  it('takes nothing lower than its revision, and once it was released nothing but its end', async () => {
    open = await openSimulator(store);
    const { first } = firstSimulator();
    const order = sampleAdOrder({ version: 7 });
    await first.reserve(inFirstWords({ ...order, version: 5, state: 'held' }));
    await first.apply(inFirstWords(order));
    expect(await open.simulator.put(changed(order, { version: 6 }))).toEqual({ outcome: 'stale', version: 7 });
    const other = sampleAdOrder({ media_buy_id: mediaBuyId('mb_2') });
    await first.release(other.media_buy_id);
    expect(await open.simulator.read(other.media_buy_id)).toMatchObject({ found: true, state: 'ended' });
    expect(await open.simulator.put(changed(other, {}))).toMatchObject({ outcome: 'refused' });
    expect(await open.simulator.put(changed(other, { version: 3, state: 'ended' }))).toMatchObject({ outcome: 'done' });
  });

  it('whose budget is cut is decided at the instant from which it holds', async () => {
    open = await openSimulator(store);
    const { first, book } = firstSimulator();
    const order = sampleAdOrder();
    await first.reserve(inFirstWords(order));
    await first.apply(inFirstWords(order));
    open.clock.nowMs = Date.parse(START) + 2 * DAY_MS;
    await book.look(open.clock.nowMs);
    const spent = [...book.hours]
      .filter(([key]) => key.endsWith('pkg_1'))
      .reduce((sum, [, hour]) => sum + hour.spend_minor, 0);
    open.clock.nowMs += HOUR_MS / 2;
    const cut = changed(order, withLine(order, 0, { budget_minor: spent + 1 }));
    expect(await open.simulator.put(cut)).toMatchObject({
      outcome: 'refused',
      reasons: [{ code: 'budget_below_spend', package_id: 'pkg_1' }],
    });
  });
});
