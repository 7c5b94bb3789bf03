import { afterEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import { Unreachable } from '../../../src/sales/ad-server/faults.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openSimulator } from './support/open-simulator.ts';
import type { OpenSimulator } from './support/open-simulator.ts';
import { changed, sampleAdCreative, sampleAdOrder, sampleLine, START } from './support/sample-ad-order.ts';
import { rowsOf, spendOf } from './support/stated.ts';

let open: OpenSimulator;
afterEach(() => open.close());

const ID = mediaBuyId('mb_1');
const NO_INVENTORY = { code: 'no_inventory' as const, pointer: '/lines', message: 'nothing is left' };

/** Steps of a put as they were written, such as `create_line pkg_1`. */
const written = () =>
  open.simulator.controls
    .calls()
    .native_writes.map(({ kind, package_id, creative_id }) =>
      [kind, package_id, creative_id].filter(Boolean).join(' '),
    );

/** A change that pauses, cuts, edits, adds, raises and resumes lines. */
function bigChange(order: AdOrder): AdOrder {
  const [one, two] = order.lines;
  if (one === undefined || two === undefined) throw new Error('the sample has two lines');
  const lines = [
    { ...one, state: 'paused' as const, budget_minor: one.budget_minor - 1000 },
    { ...two, budget_minor: two.budget_minor + 1000, name: 'renamed', creatives: [{ creative_id: 'c2', version: 1 }] },
    sampleLine({ package_id: 'pkg_3' }),
  ];
  return changed(order, { lines });
}

describeOnStores('a put of single steps on %s', (store) => {
  it('[I9] [I11] that is stopped anywhere spends nothing, and asked again is whole, with each thing made once (P4, P5)', async () => {
    open = await openSimulator(store, { nativeWrites: 'one_by_one' });
    open.clock.nowMs = Date.parse(START);
    const steps = 8;
    for (let n = 1; n <= steps + 1; n += 1) {
      const media_buy_id = mediaBuyId(`mb_${n}`);
      const order = sampleAdOrder({ media_buy_id });
      await open.simulator.controls.take({ reset: true, stop_before_native_write: n });
      const put = open.simulator.put(order);
      if (n > steps) {
        expect(await put).toMatchObject({ outcome: 'done' });
        break;
      }
      const fault = await put.catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Unreachable);
      expect(fault).toMatchObject({ sent: 'unknown' });
      const half = await open.simulator.read(media_buy_id);
      expect(half).toMatchObject(n === 1 ? { found: false } : { found: true, state: 'draft' });
      expect(half).not.toHaveProperty('version');
      open.clock.nowMs += 3 * HOUR_MS;
      expect(await rowsOf(open.simulator, media_buy_id)).toEqual([]);
      const other = await open.another();
      expect(await other.put(order)).toMatchObject({ outcome: 'done' });
      expect(await open.simulator.read(media_buy_id)).toMatchObject({ state: 'running', version: 1, differences: [] });
      const made = [open.simulator, other].map(({ controls }) => controls.calls().creates);
      expect(made.reduce((sum, { orders, lines }) => sum + orders + 10 * lines, 0)).toBe(21);
    }
    expect(written()).toEqual([
      'create_order',
      ...['create_line pkg_1', 'create_line pkg_2', 'associate_creative pkg_1 c1', 'associate_creative pkg_2 c1'],
      ...['release pkg_1', 'release pkg_2', 'release'],
    ]);
  });

  it('pauses and cuts first, and raises, resumes and releases last; stopped anywhere, the rest is found again', async () => {
    open = await openSimulator(store, { nativeWrites: 'one_by_one' });
    open.clock.nowMs = Date.parse(START);
    const plan = [
      ...['pause pkg_1', 'cut pkg_1', 'edit pkg_2', 'create_line pkg_3', 'associate_creative pkg_2 c2'],
      ...['dissociate_creative pkg_2 c1', 'associate_creative pkg_3 c1', 'raise pkg_2', 'release pkg_3'],
    ];
    for (let n = 1; n <= plan.length; n += 1) {
      const order = sampleAdOrder({ media_buy_id: mediaBuyId(`mb_${n}`) });
      await open.simulator.put(order);
      await open.simulator.controls.take({ reset: true, stop_before_native_write: n });
      const change = bigChange(order);
      await expect(open.simulator.put(change)).rejects.toBeInstanceOf(Unreachable);
      expect(written()).toEqual(plan.slice(0, n - 1));
      expect(await open.simulator.put(order)).toMatchObject(n === 1 ? { outcome: 'done' } : { outcome: 'stale' });
      expect(await open.simulator.put(change)).toMatchObject({ outcome: 'done' });
      expect(written()).toEqual(plan);
      expect(await open.simulator.read(order.media_buy_id)).toMatchObject({ version: 2, differences: [] });
    }
  });
});

describe('half a change', () => {
  it('that two go on with at once has each of its steps once (P1, P5)', async () => {
    open = await openSimulator('sqlite', { nativeWrites: 'one_by_one' });
    const other = await open.another();
    const order = sampleAdOrder();
    const both = await Promise.all([open.simulator.put(order), other.put(order)]);
    expect(both[0]).toEqual(both[1]);
    const change = bigChange(order);
    await Promise.all([open.simulator.put(change), other.put(change)]);
    const steps = [open.simulator, other].flatMap(({ controls }) => controls.calls().native_writes);
    const named = steps.map(({ kind, package_id, creative_id }) => [kind, package_id, creative_id].join(' '));
    expect(new Set(named).size).toBe(17);
    expect(steps).toHaveLength(17);
    expect(await open.simulator.read(ID)).toMatchObject({ version: 2, differences: [] });
  });

  it('that is refused when it goes on is taken back, and the version before is whole (P3)', async () => {
    open = await openSimulator('sqlite', { nativeWrites: 'one_by_one' });
    const order = sampleAdOrder();
    await open.simulator.put(order);
    const before = await open.simulator.read(ID);
    await open.simulator.controls.take({ stop_before_native_write: 4 });
    await expect(open.simulator.put(bigChange(order))).rejects.toBeInstanceOf(Unreachable);
    await open.simulator.controls.take({ refuse: { reasons: [NO_INVENTORY] } });
    expect(await open.simulator.put(bigChange(order))).toEqual({ outcome: 'refused', reasons: [NO_INVENTORY] });
    expect(await open.simulator.read(ID)).toEqual(before);
  });

  it('gives way to a higher version, which is made from where things stand', async () => {
    open = await openSimulator('sqlite', { nativeWrites: 'one_by_one' });
    const order = sampleAdOrder();
    await open.simulator.controls.take({ stop_before_native_write: 3 });
    await expect(open.simulator.put(order)).rejects.toBeInstanceOf(Unreachable);
    expect(await open.simulator.put(changed(order, { state: 'paused' }))).toMatchObject({ outcome: 'done' });
    expect(await open.simulator.put(order)).toEqual({ outcome: 'stale', version: 2 });
    expect(open.simulator.controls.calls().creates).toMatchObject({ orders: 1, lines: 2 });
  });

  it('together is one write: stopped before, nothing of it has happened', async () => {
    open = await openSimulator();
    await open.simulator.controls.take({ stop_before_native_write: 5 });
    await expect(open.simulator.put(sampleAdOrder())).rejects.toBeInstanceOf(Unreachable);
    expect(await open.simulator.read(ID)).toEqual({ found: false });
    expect(await open.simulator.put(sampleAdOrder())).toMatchObject({ outcome: 'done' });
  });

  it('delivers the same in the end as a put that was one write', async () => {
    const spends: number[] = [];
    for (const nativeWrites of ['together', 'one_by_one'] as const) {
      open = await openSimulator('sqlite', { nativeWrites });
      const order = sampleAdOrder();
      await open.simulator.put(order);
      open.clock.nowMs = Date.parse(START) + 30 * HOUR_MS + 1234;
      await open.simulator.put(changed(order, { state: 'paused' }));
      open.clock.nowMs += 5 * HOUR_MS;
      await open.simulator.put(changed(bigChange(order), { version: 3 }));
      open.clock.nowMs += 100 * HOUR_MS;
      for (const id of ['pkg_1', 'pkg_2', 'pkg_3']) spends.push(await spendOf(open.simulator, ID, id));
      if (nativeWrites === 'together') await open.close();
    }
    expect(spends.slice(3)).toEqual(spends.slice(0, 3));
  });
});

describe('a creative', () => {
  it('is uploaded once however often it is asked, also after a stop, and reviewed as told', async () => {
    open = await openSimulator();
    await open.simulator.controls.take({ stop_before_native_write: 1 });
    await expect(open.simulator.putCreative(sampleAdCreative())).rejects.toBeInstanceOf(Unreachable);
    const first = await open.simulator.putCreative(sampleAdCreative());
    expect(first).toMatchObject({ verdict: 'approved' });
    expect(await (await open.another()).putCreative(sampleAdCreative())).toEqual(first);
    expect(written()).toEqual(['create_creative c1']);
    await open.simulator.controls.take({ review: { creative_id: 'c1', verdict: 'suspended', reason_code: 'fraud' } });
    const later = await open.simulator.putCreative(sampleAdCreative());
    expect(later).toMatchObject({ verdict: 'suspended', reason_code: 'fraud' });
    const odd = sampleAdCreative({ creative_id: 'c9', kind: 'hologram' });
    expect(await open.simulator.putCreative(odd)).toMatchObject({ verdict: 'rejected' });
    await open.simulator.controls.take({ review: { verdict: 'undecided' } });
    const undecided = await open.simulator.putCreative(sampleAdCreative({ version: 2, creative_id: 'c3' }));
    expect(undecided).toMatchObject({ verdict: 'undecided', ask_again_at: '2041-03-30T09:18:00.000Z' });
  });

  it('[I11] that review has not approved is not shown', async () => {
    open = await openSimulator();
    open.clock.nowMs = Date.parse(START);
    await open.simulator.controls.take({ review: { creative_id: 'c1', verdict: 'rejected' } });
    await open.simulator.putCreative(sampleAdCreative());
    const order = sampleAdOrder();
    expect(await open.simulator.put(order)).toMatchObject({
      outcome: 'done',
      lines: [{ state: 'ready', missing: ['approval'] }, { missing: ['approval'] }],
    });
    open.clock.nowMs += 5 * HOUR_MS;
    expect(await rowsOf(open.simulator, ID)).toEqual([]);
    await open.simulator.controls.take({ review: { creative_id: 'c1', verdict: 'approved' } });
    open.clock.nowMs += 5 * HOUR_MS;
    const shown = await rowsOf(open.simulator, ID);
    expect(shown[0]?.hour).toBe('2041-04-01T05:00:00.000Z');
    await open.simulator.controls.take({ review: { creative_id: 'c1', verdict: 'suspended' } });
    open.clock.nowMs += 5 * HOUR_MS;
    expect(await rowsOf(open.simulator, ID)).toEqual(shown);
    expect(await open.simulator.read(ID)).toMatchObject({ differences: [], lines: [{ missing: ['approval'] }, {}] });
  });
});
