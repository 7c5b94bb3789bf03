import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { describeOnStores } from '../../support/stores.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

describeOnStores('an order that is looked at every hour, on %s', (store) => {
  let at: Orders;
  beforeEach(async () => {
    at = await openOrders(store);
  });
  afterEach(() => at.close());

  const trafficker = ({ media_buy_id, packages }: MediaBuy, action: 'pause' | 'resume' | 'edit' | 'archive') =>
    at.controls.take({ trafficker: { media_buy_id, package_id: packages[0]?.package_id ?? '', action } });
  const openOf = async ({ media_buy_id }: MediaBuy) =>
    (await at.impairments.find({ where: { media_buy_id, open: true } })).rows;
  const drift = async () => (await at.desk.drifted({ limit: 10 })).rows;

  it('[B9.stopped] and that a person has paused there impairs its buy within the hour, told once, and nothing is undone', async () => {
    const buy = await at.running();
    const package_id = buy.packages[0]?.package_id;
    await trafficker(buy, 'pause');
    expect(await at.desk.lookDue()).toBe(0);
    at.clock.advance(HOUR_MS);
    expect(await at.desk.lookDue()).toBe(1);
    const impaired = { resource_type: 'package', package_ids: [package_id], reason_code: 'stopped_by_seller' };
    expect(await openOf(buy)).toMatchObject([{ ...impaired, transition: { from: 'running', to: 'paused' } }]);
    expect(await drift()).toMatchObject([
      {
        media_buy_id: buy.media_buy_id,
        differences: [{ pointer: '/lines/0/state', ours: 'running', theirs: 'paused' }],
      },
    ]);
    for (let hour = 0; hour < 3; hour++) {
      at.clock.advance(HOUR_MS);
      await at.desk.lookDue();
      await at.recheck(buy.media_buy_id);
    }
    expect(at.told.impairments).toHaveLength(1);
    expect(at.calls.filter((call) => call.startsWith('put'))).toEqual(['put held', 'put running']);

    const pushed = await at.desk.push(buy.media_buy_id);
    expect(pushed).toMatchObject({
      open_change: null,
      held: { version: (buy.held?.version ?? 0) + 1, state: 'running' },
    });
    await at.desk.lookDue();
    expect(await openOf(buy)).toEqual([]);
    expect(at.told.impairments).toMatchObject([{ open: true }, { open: false }]);
    expect(await drift()).toEqual([]);
  });

  it('and that was canceled before it was ever told is shown as it would have been', async () => {
    const tombstone = sampleMediaBuy({ status: 'canceled', pending_reason: null, open: false });
    await at.mediaBuys.insert(tombstone);
    const { order, row } = await at.desk.show(tombstone.media_buy_id);
    expect([AdOrder.parse(order).version, order.state, row]).toEqual([1, 'ended', undefined]);
  });

  it('[B9.stopped] is well again when that person lets it run, and one that was ended there is impaired too', async () => {
    const buy = await at.running();
    await trafficker(buy, 'archive');
    await at.desk.look(buy.media_buy_id);
    expect(await openOf(buy)).toMatchObject([{ transition: { from: 'running', to: 'ended' } }]);
    await trafficker(buy, 'resume');
    await at.desk.look(buy.media_buy_id);
    expect(await openOf(buy)).toEqual([]);
  });

  it('tells of what was edited there until it is pushed, and impairs nothing for that', async () => {
    const buy = await at.running();
    await trafficker(buy, 'edit');
    expect(await at.desk.hurryLooks()).toBe(1);
    expect(await at.desk.lookDue()).toBe(1);
    const [seen] = await drift();
    expect(seen?.differences).toMatchObject([{ pointer: '/lines/0/name' }]);
    at.clock.advance(HOUR_MS);
    await at.desk.lookDue();
    expect((await drift())[0]?.drift_since).toBe(seen?.drift_since);
    expect(await openOf(buy)).toEqual([]);
    await at.desk.push(buy.media_buy_id);
    await at.desk.lookDue();
    expect(await drift()).toEqual([]);
  });

  it('is not looked at while the ad server cannot be reached, nor once it is over', async () => {
    const buy = await at.running();
    at.cut = true;
    for (let n = 0; n < 5; n++) await expect(at.desk.look(buy.media_buy_id)).rejects.toThrow('the line is cut');
    at.calls.length = 0;
    at.clock.advance(HOUR_MS);
    expect(await at.desk.lookDue()).toBe(0);
    expect(await at.courier.tellDue()).toBe(0);
    await at.breaker.probeDue();
    expect(at.calls).toEqual(['describe']);
    at.cut = false;
    at.clock.advance(HOUR_MS);
    await at.breaker.probeDue();
    expect(await at.desk.lookDue()).toBe(1);

    const { rows } = await at.mediaBuys.find({ where: { status: 'active' } });
    for (const row of rows) await at.mediaBuys.replace({ ...row, status: 'completed', open: false });
    await at.courier.tell(buy.media_buy_id);
    at.clock.advance(2 * HOUR_MS);
    expect(await at.desk.lookDue()).toBe(0);
    expect((await at.adOrders.get(buy.media_buy_id))?.look_due_at).toBeNull();
  });

  it('that is gone there, or stands at another version, is drift', async () => {
    const buy = await at.running();
    await at.mediaBuys.update(buy.media_buy_id, (row) => ({
      ...row,
      held: { version: 7, digest: row.held?.digest ?? null, state: 'running' },
    }));
    await at.desk.look(buy.media_buy_id);
    expect(await drift()).toMatchObject([
      { differences: [{ pointer: '/version', ours: 7, theirs: buy.held?.version }] },
    ]);
  });

  it('cannot be pushed while something else waits, while nothing is held, or when it is over', async () => {
    const buy = await at.held();
    const { media_buy_id, task_id } = buy;
    const refused = (message: string | RegExp) =>
      expect(at.desk.push(media_buy_id)).rejects.toMatchObject({
        code: 'INVALID_STATE',
        message: expect.stringMatching(message) as string,
      });
    await refused(`a change \\(hold\\) of task ${task_id} of ${media_buy_id} waits`);
    await at.mediaBuys.update(media_buy_id, (row) => ({ ...row, open_change: null }));
    await refused('holds nothing');
    await at.mediaBuys.update(media_buy_id, (row) => ({ ...row, status: 'canceled', open: false }));
    await refused('is canceled');
    await expect(at.desk.push(buy.media_buy_id.replace('mb_', 'no_') as typeof media_buy_id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
