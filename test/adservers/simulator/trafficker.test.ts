import { afterEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { openSimulator } from './support/open-simulator.ts';
import type { OpenSimulator } from './support/open-simulator.ts';
import { changed, sampleAdOrder, sampleLine, START, withLine } from './support/sample-ad-order.ts';
import { rowsOf, spendOf } from './support/stated.ts';

let open: OpenSimulator;
afterEach(() => open.close());

const ID = mediaBuyId('mb_1');
const act = (action: 'pause' | 'resume' | 'edit' | 'archive', more = {}) =>
  open.simulator.controls.take({ trafficker: { media_buy_id: ID, package_id: 'pkg_1', action, ...more } });
const read = () => open.simulator.read(ID);

describe('a trafficker', () => {
  it('who pauses a line is told of, not undone by the same version, and undone by the next that runs', async () => {
    open = await openSimulator();
    const order = sampleAdOrder();
    await open.simulator.put(order);
    open.clock.nowMs = Date.parse(START) + 5 * HOUR_MS;
    await act('pause');
    const spent = await spendOf(open.simulator, ID, 'pkg_1');
    expect(await read()).toMatchObject({
      version: 1,
      state: 'running',
      lines: [
        { state: 'paused', by_hand: true },
        { state: 'delivering', by_hand: false },
      ],
      differences: [{ pointer: '/lines/0/state', ours: 'running', theirs: 'paused' }],
    });
    await open.simulator.put(order);
    await open.simulator.put(changed(order, { state: 'paused' }));
    expect(await read()).toMatchObject({ lines: [{ by_hand: true }, {}] });
    open.clock.nowMs += 5 * HOUR_MS;
    expect(await spendOf(open.simulator, ID, 'pkg_1')).toBe(spent);
    await open.simulator.put(changed(order, { version: 3 }));
    expect(await read()).toMatchObject({ lines: [{ state: 'delivering', by_hand: false }, {}], differences: [] });
  });

  it('who edits or archives is told of field by field, until the next version', async () => {
    open = await openSimulator();
    const order = sampleAdOrder();
    await open.simulator.put(order);
    await act('edit');
    await act('edit', { budget_minor: 600_000 });
    const differences = [
      { pointer: '/lines/0/name', ours: 'banners', theirs: 'banners (edited)' },
      { pointer: '/lines/0/budget_minor', ours: 500_000, theirs: 600_000 },
    ];
    expect(await read()).toMatchObject({ differences });
    expect(await open.simulator.controls.look(ID, 'pkg_1')).toMatchObject({ budget_minor: 600_000 });
    await open.simulator.controls.take({ trafficker: { media_buy_id: ID, action: 'archive' } });
    expect(await read()).toMatchObject({
      state: 'ended',
      lines: [{ state: 'ended', by_hand: true }, { by_hand: true }],
    });
    expect(await open.simulator.put(changed(order, {}))).toMatchObject({ outcome: 'done' });
    expect(await read()).toMatchObject({ state: 'running', differences: [], lines: [{ by_hand: false }, {}] });
  });
});

describe('a line', () => {
  it('keeps to its own dates, its daily cap and its pace, and its targeting is kept as it was put', async () => {
    open = await openSimulator();
    const start = '2041-04-03T00:00:00.000Z';
    const frequency_cap = { max: 3, per: 1, unit: 'day' as const };
    const lines = [
      sampleLine({ start, daily_cap_minor: 20_000, frequency_cap }),
      sampleLine({ package_id: 'pkg_2', pacing: 'asap', daily_cap_minor: 90_000 }),
      sampleLine({ package_id: 'pkg_3', pacing: 'front_loaded' }),
      sampleLine({ package_id: 'pkg_4' }),
      sampleLine({ package_id: 'pkg_5', pricing: { model: 'flat-fee', rate_minor: 500_000 }, daily_cap_minor: 20_000 }),
    ];
    await open.simulator.put(sampleAdOrder({ lines }));
    expect(await open.simulator.controls.look(ID, 'pkg_1')).toMatchObject({
      frequency_cap,
      targeting: lines[0]?.targeting,
    });
    const spendUntil = async (at: string) => {
      open.clock.nowMs = Date.parse(at);
      const spends = lines.map(({ package_id }) => spendOf(open.simulator, ID, package_id));
      return await Promise.all(spends);
    };
    const [late, asap, front, even] = await spendUntil('2041-04-03T00:00:00.000Z');
    expect(late).toBe(0);
    expect(asap).toBeGreaterThan(front ?? 0);
    expect(front).toBeGreaterThan(even ?? 0);
    await spendUntil('2041-04-12T00:00:00.000Z');
    const byDay = new Map<string, number>();
    for (const { package_id, hour, spend_minor = 0 } of await rowsOf(open.simulator, ID)) {
      const day = `${package_id} ${hour.slice(0, 10)}`;
      byDay.set(day, (byDay.get(day) ?? 0) + spend_minor);
    }
    for (const { package_id, daily_cap_minor = Infinity } of lines) {
      const days = [...byDay].filter(([day]) => day.startsWith(package_id)).map(([, spent]) => spent);
      expect(Math.max(...days)).toBeLessThanOrEqual(daily_cap_minor);
      expect(Math.max(...days)).toBeGreaterThan(Math.min(daily_cap_minor, 40_000) * 0.99);
    }
  });

  it('that has ended stays so, and one that is left out ends', async () => {
    open = await openSimulator();
    const order = sampleAdOrder();
    await open.simulator.put(order);
    const ended = changed(order, withLine(order, 0, { state: 'ended' }));
    await open.simulator.put(ended);
    expect(await read()).toMatchObject({ lines: [{ state: 'ended', by_hand: false }, {}] });
    const refused = { outcome: 'refused', reasons: [{ code: 'other', pointer: '/lines/0/state' }] };
    expect(await open.simulator.put(changed(order, { version: 3 }))).toMatchObject(refused);
    await open.simulator.put(changed(order, { version: 4, lines: [ended.lines[0] ?? sampleLine()] }));
    expect(await read()).toMatchObject({ lines: [{ state: 'ended' }, { state: 'ended' }] });
  });
});
