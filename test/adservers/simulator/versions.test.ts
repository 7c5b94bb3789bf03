import { afterEach, describe, expect, it } from 'vitest';
import { Broken, Unreachable } from '../../../src/sales/ad-server/faults.ts';
import { CheckAnswer, PutAnswer } from '../../../src/sales/ad-server/put-answer.ts';
import { Held } from '../../../src/sales/ad-server/held.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openSimulator } from './support/open-simulator.ts';
import type { OpenSimulator } from './support/open-simulator.ts';
import { changed, sampleAdOrder, sampleLine, START, withLine } from './support/sample-ad-order.ts';

let open: OpenSimulator;
afterEach(() => open.close());

const ID = mediaBuyId('mb_1');
const NO_INVENTORY = { code: 'no_inventory' as const, pointer: '/lines', message: 'nothing is left' };
const creates = () => open.simulator.controls.calls().creates;

describeOnStores('the simulated ad server’s orders by version on %s', (store) => {
  it('the same version twice, and by two at once, is one order and one answer (P1)', async () => {
    open = await openSimulator(store);
    const order = sampleAdOrder();
    const other = await open.another();
    const [first, second] = await Promise.all([open.simulator.put(order), other.put(order)]);
    expect(PutAnswer.parse(first)).toEqual(second);
    expect(first.outcome).toBe('done');
    expect(await open.simulator.put(order)).toEqual(first);
    const made = [open.simulator, other].map(({ controls }) => controls.calls().creates);
    expect(made.reduce((sum, { orders, lines }) => sum + orders + lines, 0)).toBe(3);
    expect(Held.parse(await other.read(ID))).toMatchObject({ version: 1, state: 'running', differences: [] });
  });

  it('another order under a version that was taken, or refused, is Broken (P1)', async () => {
    open = await openSimulator(store);
    const order = sampleAdOrder();
    await open.simulator.put(order);
    const other = sampleAdOrder({ ...order, ...withLine(order, 0, { name: 'another' }) });
    await expect(open.simulator.put(other)).rejects.toBeInstanceOf(Broken);
    await open.simulator.controls.take({ refuse: { reasons: [NO_INVENTORY] } });
    const refused = changed(order, { state: 'paused' });
    expect(await open.simulator.put(refused)).toEqual({ outcome: 'refused', reasons: [NO_INVENTORY] });
    await open.simulator.controls.take({ refuse: null });
    expect(await open.simulator.put(refused)).toEqual({ outcome: 'refused', reasons: [NO_INVENTORY] });
    await expect(open.simulator.put(changed(other, { version: 2 }))).rejects.toBeInstanceOf(Broken);
  });

  it('a lower version is stale, and a refused one leaves the one before whole, its number used up (P2, P3)', async () => {
    open = await openSimulator(store);
    const order = sampleAdOrder();
    await open.simulator.put(order);
    const before = await open.simulator.read(ID);
    await open.simulator.controls.take({ refuse: { media_buy_id: ID, reasons: [NO_INVENTORY] } });
    const refused = changed(order, { state: 'paused', lines: [...order.lines, sampleLine({ package_id: 'pkg_3' })] });
    expect(await open.simulator.put(refused)).toMatchObject({ outcome: 'refused' });
    expect(await open.simulator.read(ID)).toEqual(before);
    expect(await open.simulator.put(order)).toEqual({ outcome: 'stale', version: 2 });
    await open.simulator.controls.take({ refuse: null });
    expect(await open.simulator.put(changed(refused, {}))).toMatchObject({ outcome: 'done' });
    expect(await open.simulator.read(ID)).toMatchObject({ version: 3, state: 'paused', lines: { length: 3 } });
  });

  it('ended is final, and of an order that was never heard of a tombstone (P6)', async () => {
    open = await openSimulator(store);
    const order = sampleAdOrder();
    await open.simulator.put(changed(order, { state: 'ended' }));
    expect(await open.simulator.put(order)).toEqual({ outcome: 'stale', version: 2 });
    const late = await open.simulator.put(changed(order, { version: 3 }));
    expect(late).toMatchObject({ outcome: 'refused', reasons: [{ code: 'other', pointer: '/state' }] });
    expect(await open.simulator.put(changed(order, { version: 4, state: 'ended' }))).toMatchObject({ outcome: 'done' });
    expect(creates()).toEqual({ orders: 0, lines: 0, creatives: 0 });
    expect(Held.parse(await open.simulator.read(ID))).toMatchObject({ state: 'ended', version: 4 });
  });
});

describe('what is pending', () => {
  it('comes true unasked, at the instant it was to, and is told the same until then (P7)', async () => {
    open = await openSimulator();
    open.clock.nowMs = Date.parse(START);
    await open.simulator.controls.take({ pending_for_s: 5400 });
    const order = sampleAdOrder();
    const ask_again_at = '2041-04-01T01:30:00.000Z';
    for (let i = 0; i < 3; i += 1) {
      expect(PutAnswer.parse(await open.simulator.put(order))).toMatchObject({ outcome: 'pending', ask_again_at });
    }
    expect(await open.simulator.read(ID)).toEqual({ found: false });
    open.clock.nowMs += 6 * 3_600_000;
    const query = { media_buy_ids: [ID], from: START, until: '2041-04-02T00:00:00.000Z' };
    const { rows } = await open.simulator.statements(query);
    expect(rows[0]?.hour).toBe('2041-04-01T01:00:00.000Z');
    expect(await open.simulator.put(order)).toMatchObject({ outcome: 'done' });
    expect((await open.simulator.statements(query)).rows).toEqual(rows);
    expect(creates()).toEqual({ orders: 1, lines: 2, creatives: 0 });
  });

  it('is refused in the end if it was told to be, and serves nothing', async () => {
    open = await openSimulator();
    await open.simulator.controls.take({ pending_for_s: 60, refuse: { reasons: [NO_INVENTORY] } });
    const order = sampleAdOrder();
    expect(await open.simulator.put(order)).toMatchObject({ outcome: 'pending' });
    expect(await open.simulator.check(order)).toEqual({ outcome: 'unknown' });
    await open.simulator.controls.take({ advance_s: 61 });
    expect(await open.simulator.put(order)).toEqual({ outcome: 'refused', reasons: [NO_INVENTORY] });
    expect(await open.simulator.read(ID)).toEqual({ found: false });
  });

  it('gives way to a higher version, which is not decided later for its sake', async () => {
    open = await openSimulator();
    await open.simulator.controls.take({ pending_for_s: 3600 });
    const order = sampleAdOrder();
    await open.simulator.put(order);
    await open.simulator.controls.take({ pending_for_s: 0 });
    expect(await open.simulator.put(changed(order, { state: 'paused' }))).toMatchObject({ outcome: 'done' });
    open.clock.nowMs += 7_200_000;
    expect(await open.simulator.put(order)).toEqual({ outcome: 'stale', version: 2 });
    expect(await open.simulator.read(ID)).toMatchObject({ state: 'paused', version: 2 });
  });
});

describe('a check', () => {
  it('foretells what a put would say, and writes nothing', async () => {
    open = await openSimulator();
    const order = sampleAdOrder();
    expect(await open.simulator.check(order)).toEqual({ outcome: 'done' });
    const rejected = sampleAdOrder(withLine(order, 1, { name: 'x sim-reject' }));
    expect(CheckAnswer.parse(await open.simulator.check(rejected))).toMatchObject({
      outcome: 'refused',
      reasons: [{ code: 'no_inventory', package_id: 'pkg_2', pointer: '/lines/1' }],
    });
    expect(await open.simulator.read(ID)).toEqual({ found: false });
    await open.simulator.put(order);
    expect(await open.simulator.check(changed(order, { state: 'ended' }))).toEqual({ outcome: 'done' });
    expect(await open.simulator.read(ID)).toMatchObject({ state: 'running', version: 1 });
  });

  it('names everything that cannot be run so', async () => {
    open = await openSimulator();
    const order = sampleAdOrder();
    const { lines } = withLine(order, 0, { pricing: { model: 'cpcv', rate_minor: 5 }, end: START });
    expect(await open.simulator.put(sampleAdOrder({ lines, end: START }))).toMatchObject({
      outcome: 'refused',
      reasons: [
        { code: 'dates', pointer: '/end' },
        { code: 'pricing', pointer: '/lines/0/pricing/model' },
        { code: 'dates', pointer: '/lines/0/end' },
      ],
    });
  });
});

describe('trouble by a name', () => {
  it('sim-fail breaks down twice, and is put the third time', async () => {
    open = await openSimulator();
    const order = sampleAdOrder({ name: 'launch sim-fail' });
    for (let i = 0; i < 2; i += 1) {
      const fault = await open.simulator.put(order).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Unreachable);
      expect(fault).toMatchObject({ sent: 'unknown' });
      expect(await open.simulator.read(ID)).toEqual({ found: false });
    }
    expect(await open.simulator.put(order)).toMatchObject({ outcome: 'done' });
  });

  it('sim-reject is refused, but for its end', async () => {
    open = await openSimulator();
    const order = sampleAdOrder({ name: 'sim-reject' });
    expect(await open.simulator.put(order)).toMatchObject({ outcome: 'refused', reasons: [{ code: 'no_inventory' }] });
    expect(await open.simulator.put(changed(order, { state: 'ended' }))).toMatchObject({ outcome: 'done' });
  });
});
