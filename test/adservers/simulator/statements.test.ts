import { afterEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import { AdOrderRecords } from '../../../src/adservers/simulator/order-row.ts';
import { LieControl } from '../../../src/adservers/simulator/controls.ts';
import { Description } from '../../../src/sales/ad-server/description.ts';
import { AdInstant } from '../../../src/sales/ad-server/port-values.ts';
import { Statement } from '../../../src/sales/ad-server/statement.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openSimulator } from './support/open-simulator.ts';
import type { OpenSimulator } from './support/open-simulator.ts';
import { changed, END, sampleAdOrder, sampleLine, START, withLine } from './support/sample-ad-order.ts';
import { rowsOf, spendOf } from './support/stated.ts';

let open: OpenSimulator;
afterEach(() => open.close());

const ID = mediaBuyId('mb_1');
const ALL = { media_buy_ids: [ID], from: START, until: END };
const statement = async (query = {}) => Statement.parse(await open.simulator.statements({ ...ALL, ...query }));
const goTo = (at: string) => {
  open.clock.nowMs = Date.parse(at);
};

/** An order that is running at its start. */
async function begin(changes: Parameters<typeof sampleAdOrder>[0] = {}) {
  const order = sampleAdOrder(changes);
  await open.simulator.put(order);
  goTo(START);
  return order;
}

describe('statements', () => {
  it('tell whole hours until now, each once, whichever part is asked for', async () => {
    open = await openSimulator();
    await begin();
    goTo('2041-04-02T03:40:00.000Z');
    const all = await statement();
    expect(all).toMatchObject({ complete_until: '2041-04-02T03:00:00.000Z', final_until: '2041-04-01T03:00:00.000Z' });
    expect(new Set(all.rows.map(({ hour, package_id }) => `${hour} ${package_id}`)).size).toBe(all.rows.length);
    expect(all.rows).toHaveLength(2 * 27);
    const [noon, evening] = ['2041-04-01T12:00:00.000Z', '2041-04-01T20:00:00.000Z'];
    const part = await statement({ from: noon, until: evening });
    expect(part.rows).toEqual(all.rows.filter(({ hour }) => hour >= noon && hour < evening));
    expect(await statement({ media_buy_ids: ['mb_unknown'] })).toMatchObject({ rows: [] });
  });

  it('come in pages that together are one, as of the first, though time goes on', async () => {
    open = await openSimulator();
    const ids = Array.from({ length: 4 }, (_, i) => `mb_${i}`);
    const lines = Array.from({ length: 9 }, (_, i) => sampleLine({ package_id: `pkg_${i}` }));
    for (const id of ids) await open.simulator.put(sampleAdOrder({ media_buy_id: mediaBuyId(id), lines }));
    goTo('2041-04-12T00:00:00.000Z');
    const query = { ...ALL, media_buy_ids: ids };
    const pages = [await open.simulator.statements(query)];
    for (let cursor = pages[0]?.cursor; cursor !== undefined; cursor = pages.at(-1)?.cursor) {
      open.clock.nowMs += DAY_MS;
      pages.push(await open.simulator.statements({ ...query, cursor }));
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(new Set(pages.map(({ complete_until }) => complete_until)).size).toBe(1);
    const seen = pages.flatMap(({ rows }) => rows.map((row) => `${row.media_buy_id} ${row.package_id} ${row.hour}`));
    const each = await Promise.all(ids.map((id) => rowsOf(open.simulator, id)));
    expect(seen).toHaveLength(each.flat().length);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('tell each order’s own time where they differ', async () => {
    open = await openSimulator('sqlite', { clockSpeed: 600 });
    const ids = ['mb_1', 'mb_2'];
    for (const id of ids) {
      const dates = { start: toTimestamp(open.clock.nowMs), end: toTimestamp(open.clock.nowMs + DAY_MS) };
      const made = { media_buy_id: mediaBuyId(id), created_at: dates.start, ...dates, lines: [sampleLine(dates)] };
      await open.simulator.put(sampleAdOrder(made));
      open.clock.nowMs += 24_000;
    }
    const query = { media_buy_ids: ids, from: START, until: END };
    expect(await open.simulator.statements(query)).toMatchObject({
      complete_until: { mb_1: '2041-03-30T17:00:00.000Z', mb_2: '2041-03-30T13:00:00.000Z' },
    });
  });

  it('are complete and final as soon as nothing can come any more', async () => {
    open = await openSimulator();
    const order = await begin();
    goTo('2041-04-03T10:31:00.000Z');
    await open.simulator.put(changed(order, { state: 'ended' }));
    const done = await statement();
    expect(done).toMatchObject({ complete_until: '2041-04-11T07:00:00.000Z', final_until: '2041-04-11T07:00:00.000Z' });
    expect(done.rows.at(-1)?.hour).toBe('2041-04-03T10:00:00.000Z');
    goTo('2041-04-20T00:00:00.000Z');
    expect(await rowsOf(open.simulator, ID)).toEqual(done.rows);
  });

  it('spend the whole budget in the flight, and no more', async () => {
    open = await openSimulator();
    const order = await begin();
    goTo('2041-04-13T00:00:00.000Z');
    expect(await spendOf(open.simulator, ID, 'pkg_1')).toBe(500_000);
    expect(await spendOf(open.simulator, ID, 'pkg_2')).toBe(300_000);
    expect(await open.simulator.read(order.media_buy_id)).toMatchObject({ lines: [{ state: 'completed' }, {}] });
    expect(await statement()).toMatchObject({ final_until: '2041-04-13T00:00:00.000Z' });
  });

  it('of sim-correct say a noon hour otherwise the next morning, and of sim-delay come a day late', async () => {
    open = await openSimulator();
    const names = [
      { media_buy_id: ID, name: 'spring sim-correct' },
      { media_buy_id: mediaBuyId('mb_2'), name: 'spring sim-delay' },
    ];
    for (const named of names) await begin(named);
    goTo('2041-04-02T05:00:00.000Z');
    const noon = '2041-04-01T12:00:00.000Z';
    const before = (await rowsOf(open.simulator, ID)).find(({ hour }) => hour === noon);
    goTo('2041-04-02T07:00:00.000Z');
    const after = (await rowsOf(open.simulator, ID)).find(({ hour }) => hour === noon);
    const impressions = before?.counts.impressions ?? 0;
    expect(after?.counts).toEqual({ ...before?.counts, impressions: impressions - Math.floor(impressions / 10) });
    expect(await statement({ media_buy_ids: ['mb_1', 'mb_2'] })).toMatchObject({
      complete_until: { mb_1: '2041-04-02T07:00:00.000Z', mb_2: '2041-04-01T07:00:00.000Z' },
    });
  });

  it('say an hour otherwise that was restated, the day it was and a month later', async () => {
    open = await openSimulator();
    await begin();
    goTo('2041-04-01T20:00:00.000Z');
    const restate = async (hour: string) => {
      const counts = { impressions: 7, clicks: 1 };
      await open.simulator.controls.take({ restate: { media_buy_id: ID, package_id: 'pkg_1', hour, counts } });
      const rows = (await rowsOf(open.simulator, ID)).filter((row) => row.hour === hour && row.package_id === 'pkg_1');
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ counts, spend_minor: 4 });
    };
    await restate('2041-04-01T14:00:00.000Z');
    goTo('2041-05-01T00:00:00.000Z');
    const rows = await rowsOf(open.simulator, ID);
    expect(rows.find(({ hour }) => hour === '2041-04-01T14:00:00.000Z')).toMatchObject({ counts: { impressions: 7 } });
    await restate('2041-04-03T09:00:00.000Z');
    expect(await rowsOf(open.simulator, ID)).toHaveLength(rows.length);
  });

  it('take nothing back when the clock is set back', async () => {
    open = await openSimulator();
    await begin();
    goTo('2041-04-05T00:00:00.000Z');
    const told = await statement();
    goTo('2041-04-02T12:00:00.000Z');
    expect(await statement()).toEqual(told);
    const order = changed(sampleAdOrder(), { state: 'paused' });
    expect(await open.simulator.put(order)).toMatchObject({ outcome: 'done' });
    expect((await statement()).rows).toEqual(told.rows);
  });

  it('lie as they are told to, and are true again after', async () => {
    open = await openSimulator();
    await begin();
    goTo('2041-04-02T00:00:00.000Z');
    const truth = await statement();
    const lies: Statement[] = [];
    for (const lie of LieControl.options) {
      await open.simulator.controls.take({ lie });
      lies.push(await statement());
    }
    for (const lied of lies) expect(lied).not.toEqual(truth);
    await open.simulator.controls.take({ reset: true });
    expect(await statement()).toEqual(truth);
  });
});

describeOnStores('an order of a year on %s', (store) => {
  it('stays small in its row, and every hour of it can still be asked for', async () => {
    open = await openSimulator(store);
    const dates = { start: START, end: '2042-04-01T00:00:00.000Z' };
    let order = sampleAdOrder({ ...dates, lines: [sampleLine({ ...dates, budget_minor: 50_000_000 })] });
    await open.simulator.put(order);
    goTo(START);
    const seen: unknown[] = [];
    let from = START;
    while (open.clock.nowMs < Date.parse(dates.end)) {
      open.clock.nowMs += 5 * DAY_MS + 7 * HOUR_MS;
      const { rows, complete_until } = await open.simulator.statements({
        ...ALL,
        from,
        until: '2043-01-01T00:00:00.000Z',
      });
      seen.push(...rows);
      from = AdInstant.parse(complete_until);
      const paused = order.lines[0]?.state === 'paused';
      order = changed(order, withLine(order, 0, { state: paused ? 'running' : 'paused' }));
      expect(await open.simulator.put(order)).toMatchObject({ outcome: 'done' });
    }
    const row = await open.store.collection(AdOrderRecords).get(ID);
    expect(row?.instructions.length).toBeLessThan(5);
    expect(JSON.stringify(row).length).toBeLessThan(6000);
    expect(await rowsOf(open.simulator, ID)).toEqual(seen);
    expect(seen.length).toBeGreaterThan(3000);
  });
});

describe('the description', () => {
  it('is the port’s, says the clock’s speed, and is the same each time', async () => {
    open = await openSimulator('sqlite', { clockSpeed: 600 });
    const description = Description.parse(await open.simulator.describe());
    expect(description).toMatchObject({ clock_speed: 600, budget_cut: 'exact', statements: { spend: 'stated' } });
    expect(await (await open.another()).describe()).toEqual(description);
    const lines = [sampleLine({ config: { impressions_per_day: 100 }, start: START, end: '2041-04-03T12:00:00.000Z' })];
    expect(await open.simulator.forecast?.({ lines, currency: 'USD', start: START, end: END })).toMatchObject({
      available: 250,
    });
    expect(await open.simulator.inventory?.()).toEqual({ items: [] });
  });
});
