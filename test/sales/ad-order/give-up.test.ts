import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPENS_AFTER, PROBE_EVERY_MS } from '../../../src/sales/ad-order/breaker.ts';
import { errorOf, verdictOf } from '../../../src/sales/ad-order/verdict.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const WHY = { reason: 'the ad server has closed down', isForced: false };

describeOnStores('an order that is given up, on %s', (store) => {
  let at: Orders;
  beforeEach(async () => {
    at = await openOrders(store);
  });
  afterEach(() => at.close());

  const answerOf = (buy: MediaBuy, task_id: string) => {
    const verdict = verdictOf(buy, task_id);
    return verdict?.outcome === 'refused' ? errorOf(verdict).toBody() : verdict?.outcome;
  };
  const now = async ({ media_buy_id }: MediaBuy): Promise<MediaBuy> => {
    const buy = await at.mediaBuys.get(media_buy_id);
    if (buy === undefined) throw new Error('no buy');
    return buy;
  };
  /** A new buy whose ad server cannot be reached any more. */
  const waiting = async () => {
    const buy = await at.held();
    at.cut = true;
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    return buy;
  };
  const back = async () => {
    at.cut = false;
    at.clock.advance(PROBE_EVERY_MS);
    await at.breaker.probeDue();
    at.clock.advance(3_600_000);
    await at.courier.tellDue();
  };

  it('[T1.given-up] is canceled by the seller, and its task fails, once its end is confirmed; no sooner', async () => {
    const buy = await waiting();
    for (let n = 0; n < 2; n++) {
      const given = await at.desk.giveUp(buy.media_buy_id, WHY);
      expect(given).toMatchObject({
        status: 'pending',
        stop: { order: { state: 'ended' }, causes: [{ task_id: null }] },
      });
      expect(answerOf(given, buy.task_id)).toBeUndefined();
    }
    await back();
    const over = await now(buy);
    expect(over).toMatchObject({
      status: 'canceled',
      open: false,
      stop: null,
      open_change: null,
      held: { state: 'ended' },
    });
    expect(over.history.at(-1)).toMatchObject({ action: 'given_up', actor: 'seller', note: WHY.reason });
    const answer = answerOf(over, buy.task_id);
    expect(answer).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(answer).not.toHaveProperty('details');
    expect(at.told.woken).toEqual([buy.task_id]);
    expect(at.calls.filter((call) => call.startsWith('put')).at(-1)).toBe('put ended');
    expect(await at.adServer.read(buy.media_buy_id)).toMatchObject({ state: 'ended' });
    await expect(at.desk.giveUp(buy.media_buy_id, WHY)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('is canceled') as string,
    });
  });

  it('[T1.given-up] fails its task as soon as a look finds nothing of it there, though its end is still to be told', async () => {
    const buy = await waiting();
    await at.desk.giveUp(buy.media_buy_id, WHY);
    at.cut = false;
    await at.desk.lookDue();
    const over = await now(buy);
    expect(over).toMatchObject({ status: 'canceled', open_change: null, stop: { order: { state: 'ended' } } });
    expect(answerOf(over, buy.task_id)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await back();
    expect(await now(buy)).toMatchObject({ stop: null, held: { state: 'ended' } });
    expect((await now(buy)).history.filter(({ action }) => action === 'given_up')).toHaveLength(1);
  });

  it('[T1.given-up] by force fails at once with an effect that is not known, and is ended all the same', async () => {
    const buy = await waiting();
    await at.desk.giveUp(buy.media_buy_id, WHY);
    const forced = { ...WHY, isForced: true };
    for (let n = 0; n < 2; n++) {
      const over = await at.desk.giveUp(buy.media_buy_id, forced);
      expect(over).toMatchObject({ status: 'canceled', open_change: null, stop: { order: { state: 'ended' } } });
      const answer = answerOf(over, buy.task_id);
      expect(answer).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { effect: 'unknown' } });
    }
    expect(at.told.woken).toEqual([buy.task_id]);
    await back();
    const over = await now(buy);
    expect(over).toMatchObject({ status: 'canceled', stop: null, held: { state: 'ended' } });
    expect(answerOf(over, buy.task_id)).toMatchObject({ details: { effect: 'unknown' } });
    expect(over.history.filter(({ action }) => action === 'given_up')).toHaveLength(1);
  });

  it('that waits for nothing, or is unknown, is refused', async () => {
    const buy = await at.running();
    await expect(at.desk.giveUp(buy.media_buy_id, WHY)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('nothing to give up') as string,
    });
    const unknown = buy.media_buy_id.replace('mb_', 'no_') as typeof buy.media_buy_id;
    await expect(at.desk.giveUp(unknown, WHY)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is among those that wait, with why and how often, while an ad server that is away is only probed', async () => {
    const first = await waiting();
    const buys = [first];
    while (buys.length < OPENS_AFTER) buys.push(await waitingToo());
    expect(await at.desk.states()).toMatchObject([{ id: 'default', state: 'open', orders_waiting: OPENS_AFTER }]);
    expect((await at.desk.waiting({ limit: 10 })).rows).toHaveLength(OPENS_AFTER);
    const [row] = await at.desk.rowsOf([first.media_buy_id]);
    expect(row).toMatchObject({ faults: 1, last_fault: { kind: 'unreachable', message: 'the line is cut' } });
    at.calls.length = 0;
    for (let n = 0; n < 4; n++) {
      at.clock.advance(PROBE_EVERY_MS);
      await at.breaker.probeDue();
      await at.courier.tellDue();
      await at.desk.lookDue();
      for (const { media_buy_id } of buys) await at.courier.tell(media_buy_id);
    }
    expect(at.calls).toEqual(Array.from({ length: 4 }, () => 'describe'));
    await at.desk.giveUp(first.media_buy_id, WHY);
    at.calls.length = 0;
    await back();
    expect(at.calls.slice(0, 2)).toEqual(['describe', 'put ended']);
    expect(await at.desk.states()).toMatchObject([{ state: 'closed', orders_waiting: 0 }]);
  });

  const waitingToo = async () => {
    const buy = await at.held();
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    return buy;
  };
});

describe('giving up, killed before or after any of its writes', () => {
  const moments = ['before', 'after'].flatMap((when) => Array.from({ length: 6 }, (_, i) => `${when} ${i + 1}`));

  it.each(moments.flatMap((moment) => [`${moment} by asking`, `${moment} by force`]))(
    'and asked again, comes out as if it had not been: %s',
    async (moment) => {
      const [when, n, , how] = moment.split(' ');
      let from = Infinity;
      let isDead = false;
      const count = (write: { n: number }, at: string) => {
        const isTime = at === when && from !== Infinity && write.n === from + Number(n);
        if (isTime) isDead = true;
        if (isDead) throw new Error('killed');
      };
      let last = 0;
      const at = await openOrders('sqlite', (store) =>
        withStoreHooks(store, {
          before: (write) => {
            last = write.n;
            count(write, 'before');
          },
          after: (write) => {
            count(write, 'after');
          },
        }),
      );
      const { media_buy_id, task_id } = await at.held();
      at.cut = true;
      await at.courier.tell(media_buy_id, { inHand: true });
      from = last;
      const given = { reason: 'gone', isForced: how === 'force' };
      await at.desk.giveUp(media_buy_id, given).catch(() => undefined);
      from = Infinity;
      isDead = false;
      const again = await at.desk.giveUp(media_buy_id, given);
      expect(again.stop?.order.state).toBe('ended');
      at.cut = false;
      at.clock.advance(3_600_000);
      await at.courier.tellDue();
      const over = await at.mediaBuys.get(media_buy_id);
      expect(over).toMatchObject({ status: 'canceled', stop: null, open_change: null, held: { state: 'ended' } });
      expect(over?.history.filter(({ action }) => action === 'given_up')).toHaveLength(1);
      const error = { code: 'SERVICE_UNAVAILABLE', ...(given.isForced && { details: { effect: 'unknown' } }) };
      expect(over?.verdicts?.[task_id]).toMatchObject({ outcome: 'refused', error });
      await at.close();
    },
  );
});
