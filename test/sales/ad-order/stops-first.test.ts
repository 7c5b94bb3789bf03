import { afterEach, beforeEach, expect, it } from 'vitest';
import { OPENS_AFTER, PROBE_EVERY_MS } from '../../../src/sales/ad-order/breaker.ts';
import { IN_HAND_MS } from '../../../src/sales/ad-order/courier-dependencies.ts';
import { Unreachable } from '../../../src/sales/ad-server/faults.ts';
import { withChange, withStop } from '../../../src/sales/ad-order/open.ts';
import { mustLetPass } from '../../../src/sales/ad-order/precedence.ts';
import type { BuyChange } from '../../../src/sales/media-buy/buy-change.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

describeOnStores('an ad server that answers again after an outage, on %s, is told', (store) => {
  let at: Orders;
  beforeEach(async () => {
    at = await openOrders(store);
  });
  afterEach(() => at.close());

  /** A running buy's first package is to have so much more, or less; not told yet. */
  const change = async (added_minor: number, paused = false) => {
    const buy = await at.running();
    const [line] = buy.packages;
    if (line === undefined) throw new Error('no package');
    const { package_id } = line;
    const task_id = taskId(`update of ${buy.media_buy_id}`);
    const packages = [{ package_id, budget_minor: line.budget_minor + added_minor, ...(paused && { paused }) }];
    const terms: BuyChange = { packages, affected_packages: [package_id], changes: ['packages'] };
    return { ...(await stored(withChange(buy, { task_id, change: terms }, await at.courier.look(buy)))), own: task_id };
  };
  const pause = async (buy: MediaBuy) => {
    const cause = {
      task_id: taskId(`pause of ${buy.media_buy_id}`),
      action: 'paused',
      actor: 'buyer',
      note: null,
    } as const;
    return stored(withStop(buy, { ...cause, to_status: 'paused' }, await at.courier.look(buy)));
  };
  const stored = async (buy: MediaBuy) => {
    const written = await at.mediaBuys.replace(buy);
    if (written === undefined) throw new Error('another writer came first');
    return written;
  };
  /** Whose orders have been put since the outage, oldest first. */
  const puts = () =>
    at.controls.calls().calls.flatMap(({ method, media_buy_id }) => (method === 'put' ? [media_buy_id] : []));
  const isDone = async ({ media_buy_id }: MediaBuy) => {
    const buy = await at.mediaBuys.get(media_buy_id);
    return (buy?.stop ?? null) === null && (buy?.open_change ?? null) === null;
  };
  /** Cut off until only probes are sent. */
  const away = async () => {
    at.cut = true;
    const fault = new Unreachable('the line is cut', { sent: 'no' });
    for (let n = 0; n < OPENS_AFTER; n++) await at.breaker.failed(fault);
  };
  const back = async () => {
    at.cut = false;
    await at.controls.take({ reset: true });
    at.clock.advance(PROBE_EVERY_MS);
    await at.breaker.probeDue();
  };

  it('[T1.less-first] no raise, by its own task or after a stop of its own buy, before all the stops and cuts that wait', async () => {
    const raise = await change(100);
    const both = await change(200);
    const cut = await change(-100);
    const less = await change(0, true);
    const paused = await at.running();
    await away();
    const overtaken = await pause(both);
    for (const { media_buy_id } of [raise, overtaken, await pause(paused)]) {
      await at.courier.tell(media_buy_id, { inHand: true });
    }
    await back();

    await at.courier.tell(raise.media_buy_id, { own: raise.own });
    await at.courier.tell((await at.held()).media_buy_id, { inHand: true });
    expect(puts()).toEqual([]);
    await at.courier.tell(overtaken.media_buy_id, { own: taskId(`pause of ${overtaken.media_buy_id}`) });
    expect(puts()).toEqual([overtaken.media_buy_id]);

    while ((await at.courier.tellDue()) > 0) at.clock.advance(1_000);
    const order = puts();
    expect(order[1]).toBe(paused.media_buy_id);
    expect(new Set(order.slice(2, 4))).toEqual(new Set([cut.media_buy_id, less.media_buy_id]));
    expect(order.slice(4)).toEqual(expect.arrayContaining([raise.media_buy_id, both.media_buy_id]));
    expect(await Promise.all([raise, both, cut, less, paused].map(isDone))).not.toContain(false);
  });

  it('[T1.less-first] no raise by a task that has found it away, and tells it just when it answers, before a stop of that time', async () => {
    const raised = await change(1_000);
    const running = await at.running();
    await away();
    at.clock.advance(1_000);
    const stopped = await pause(running);
    // What the task asks before it puts its order, with the breaker as it then was.
    expect(await mustLetPass(at, raised.order_urgency ?? 0, await at.breaker.read())).toBe(true);
    await back();
    at.clock.advance(IN_HAND_MS);
    await at.courier.tellDue();
    expect(puts().slice(0, 2)).toEqual([stopped.media_buy_id, raised.media_buy_id]);
  });

  it('[T1.less-first] a raise while a stop from before is not decided, and whatever is opened later', async () => {
    const [raise, paused, later] = [await change(100), await at.running(), await at.running()];
    await away();
    const stop = await pause(paused);
    for (const { media_buy_id } of [raise, stop]) await at.courier.tell(media_buy_id, { inHand: true });
    await back();
    await at.controls.take({ pending_for_s: 86_400 });
    await at.courier.tell(stop.media_buy_id);
    await at.controls.take({ pending_for_s: 0 });
    expect(puts()).toEqual([stop.media_buy_id]);
    at.clock.advance(1_000);
    const late = await pause(later);
    await at.courier.tell(raise.media_buy_id, { own: raise.own });
    expect(await isDone(raise)).toBe(true);
    expect([await isDone(stop), await isDone(late)]).toEqual([false, false]);
  });
});
