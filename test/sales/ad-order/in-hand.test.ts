import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { IN_HAND_MS } from '../../../src/sales/ad-order/courier-dependencies.ts';
import { heard } from '../../../src/sales/ad-order/hear.ts';
import type { Decision } from '../../../src/sales/ad-order/hear.ts';
import { Unreachable } from '../../../src/sales/ad-server/faults.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { until } from '../../support/until.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

let at: Orders;
beforeEach(async () => {
  at = await openOrders();
});
afterEach(async () => {
  vi.useRealTimers();
  await at.close();
});

describe('an order that somebody has in hand', () => {
  it('is told by nobody else while its call lasts, however long that is', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { media_buy_id } = await at.held();
    let answer: () => void = () => undefined;
    at.answersAfter = new Promise((resolve) => (answer = resolve));
    const telling = at.courier.tell(media_buy_id, { inHand: true });
    await until(() => at.calls.length === 1);
    for (let times = 0; times < 5; times++) {
      const before = (await at.mediaBuys.get(media_buy_id))?.order_due_at;
      at.clock.advance(IN_HAND_MS - 1);
      await vi.advanceTimersByTimeAsync(IN_HAND_MS / 3);
      await until(async () => (await at.mediaBuys.get(media_buy_id))?.order_due_at !== before);
      expect(await at.courier.tellDue()).toBe(0);
    }
    answer();
    expect(await telling).toMatchObject({ open_change: null, held: { state: 'running' } });
    expect(at.calls).toEqual(['put held', 'put running']);
  });

  it('is told by another once the process that had it is gone for a quarter of a minute', async () => {
    const { media_buy_id } = await at.held();
    at.clock.advance(IN_HAND_MS - 1);
    expect(await at.courier.tellDue()).toBe(0);
    at.clock.advance(1);
    expect(await at.courier.tellDue()).toBe(1);
    expect(await at.mediaBuys.get(media_buy_id)).toMatchObject({ held: { state: 'running' } });
    expect(IN_HAND_MS).toBe(15_000);
  });
});

it('[T1.less-first] an order that meets an open breaker is seen to wait by what is less urgent, also when it closes just then', async () => {
  const { media_buy_id } = await at.held();
  for (let n = 0; n < 5; n++) await at.breaker.failed(new Unreachable('the line is cut', { sent: 'no' }));
  expect(await at.breaker.isOpen()).toBe(true);
  await at.courier.tell(media_buy_id, { inHand: true });
  expect(at.calls).toEqual([]);
  const { order_due_at } = (await at.mediaBuys.get(media_buy_id)) ?? {};
  expect(order_due_at).toBe(toTimestamp(at.clock.now() + IN_HAND_MS));
});

it('an order that waits for its time, however long, is due when the ad server answers again', async () => {
  const { media_buy_id } = await at.held();
  at.cut = true;
  for (let n = 0; n < 5; n++) await at.courier.tell(media_buy_id, { inHand: true });
  const late = toTimestamp(at.clock.now() + 60_000);
  expect(((await at.mediaBuys.get(media_buy_id))?.order_due_at ?? '') > late).toBe(true);
  at.cut = false;
  at.clock.advance(IN_HAND_MS);
  expect(await at.breaker.probeDue()).toBe(true);
  expect((await at.mediaBuys.get(media_buy_id))?.order_due_at).toBe(toTimestamp(at.clock.now()));
});

describe('a create whose inventory is held', () => {
  it('is woken at once when another than its turn has heard so, and its own turn is not', async () => {
    const other = await at.held();
    await at.courier.tell(other.media_buy_id, { inHand: true });
    expect(at.told.woken).toEqual([other.task_id]);
    const own = await at.held();
    await at.courier.tell(own.media_buy_id, { inHand: true, own: own.task_id });
    expect(at.told.woken).toEqual([other.task_id]);
  });

  it.each(['pending', 'paused'] as const)(
    'waits for the person that it needs, also when it is %s by then',
    async (status) => {
      const buy: MediaBuy = { ...(await at.held()), status };
      const { open_change } = buy;
      if (open_change?.order == null) throw new Error('nothing is open');
      const waiting = { ...buy, open_change: { ...open_change, awaits_approval: true } };
      const done: Decision = { outcome: 'done', native: { order: 'o1', lines: {}, creatives: {} }, lines: [] };
      const next = heard(waiting, open_change.order.version, done, await at.courier.look(waiting));
      expect(next).toMatchObject({ status, pending_reason: 'approval', open_change: null });
    },
  );

  it('[I1] runs by nobody before its task has passed the point of no return, whatever else it still waited for', async () => {
    for (const changes of [{}, { pending_reason: 'start_time' as const }]) {
      const { media_buy_id } = await at.held({ is_uncommitted: true, ...changes });
      await at.courier.tell(media_buy_id, { inHand: true });
      await at.recheck(media_buy_id);
      await at.courier.tell(media_buy_id);
      expect(await at.mediaBuys.get(media_buy_id)).toMatchObject({ held: { state: 'held' }, open_change: null });
    }
    expect(at.calls).toEqual(['put held', 'put held']);
  });

  it('is not written down where its task may not pass the point of no return', async () => {
    const buy = await at.held({ is_uncommitted: true });
    const commit = () => Promise.reject(new Error('canceled'));
    const telling = at.courier.tell(buy.media_buy_id, { inHand: true, own: buy.task_id, commit });
    await expect(telling).rejects.toThrow('canceled');
    expect(await at.mediaBuys.get(buy.media_buy_id)).toEqual({ ...buy, row_version: 1 });
    expect(at.calls).toEqual(['put held']);

    let committed = 0;
    const told = await at.courier.tell(buy.media_buy_id, {
      ...{ inHand: true, own: buy.task_id },
      commit: () => Promise.resolve(void (committed += 1)),
    });
    expect(told).toMatchObject({ is_uncommitted: false, status: 'active', held: { version: 2, state: 'running' } });
    expect([committed, at.calls]).toEqual([1, ['put held', 'put held', 'put running']]);
  });
});
