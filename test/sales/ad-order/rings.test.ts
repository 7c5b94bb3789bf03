import { afterEach, beforeEach, expect, it } from 'vitest';
import { lookAtOrder } from '../../../src/sales/ad-order/look.ts';
import { RINGS_ARE_ONE_MS } from '../../../src/sales/ad-order/ring.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { silent } from '../../directory/support/installation.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

describeOnStores('an order for which the ad server rings, on %s', (store) => {
  let at: Orders;
  beforeEach(async () => {
    at = await openOrders(store);
  });
  afterEach(() => at.close());

  const ring = ({ media_buy_id }: Pick<MediaBuy, 'media_buy_id'>, ad_server_id = 'default') =>
    at.desk.ring({ ad_server_id, media_buy_id });
  const pause = ({ media_buy_id, packages }: MediaBuy) =>
    at.controls.take({ trafficker: { media_buy_id, package_id: packages[0]?.package_id ?? '', action: 'pause' } });
  const reads = () => at.calls.filter((call) => call === 'read').length;

  it('[B9.stopped] is read at once, and what a person has paused there impairs its buy', async () => {
    const buy = await at.running();
    await pause(buy);
    expect(await at.desk.lookDue()).toBe(0);
    expect(await ring(buy)).toBe(true);
    expect(await at.desk.lookDue()).toBe(1);
    const { rows } = await at.impairments.find({ where: { media_buy_id: buy.media_buy_id, open: true } });
    expect(rows).toMatchObject([{ reason_code: 'stopped_by_seller' }]);
    expect(await at.desk.lookDue()).toBe(0);
  });

  it('is read once in five seconds, however often it rings', async () => {
    const buy = await at.running();
    for (let n = 0; n < 200; n++) {
      await ring(buy);
      await at.desk.lookDue();
      at.clock.advance(100);
    }
    expect(reads()).toBe(Math.ceil((200 * 100) / RINGS_ARE_ONE_MS));
    at.clock.advance(RINGS_ARE_ONE_MS);
    expect(await at.desk.lookDue()).toBe(1);
  });

  it('in the middle of a look is read once more, and nothing of that look is lost', async () => {
    const buy = await at.running();
    const { media_buy_id } = buy;
    await pause(buy);
    const noted = await lookAtOrder(
      {
        ...{ mediaBuys: at.mediaBuys, adOrders: at.adOrders, breaker: at.breaker, clock: at.clock, log: silent },
        chance: () => 0.5,
        wakeTask: () => Promise.resolve(),
        recheck: (id) => at.recheck(id),
        adServer: {
          async read(id) {
            const held = await at.adServer.read(id);
            await ring(buy);
            return held;
          },
        },
      },
      media_buy_id,
    );
    expect(noted).toMatchObject({ lines: [{ by_hand: true, state: 'paused' }, { by_hand: false }] });
    expect(await at.adOrders.get(media_buy_id)).toEqual(noted);
    expect(await at.desk.lookDue()).toBe(1);
    expect(await at.desk.lookDue()).toBe(0);
  });

  it('that was pending is put again at once, and not sooner for more rings', async () => {
    await at.controls.take({ pending_for_s: 86_400 });
    const { media_buy_id } = await at.held();
    await at.courier.tell(media_buy_id, { inHand: true });
    const puts = () => at.calls.filter((call) => call.startsWith('put')).length;
    expect([await at.courier.tellDue(), puts()]).toEqual([0, 1]);
    for (let n = 0; n < 50; n++) {
      await ring({ media_buy_id });
      await at.courier.tellDue();
      at.clock.advance(100);
    }
    expect(puts()).toBe(2);
    await at.controls.take({ advance_s: 86_400 });
    await ring({ media_buy_id });
    at.clock.advance(RINGS_ARE_ONE_MS);
    await at.courier.tellDue();
    expect(await at.mediaBuys.get(media_buy_id)).toMatchObject({ held: { version: 1 } });
  });

  it('of another ad server’s, or of none, changes nothing', async () => {
    const buy = await at.running();
    const before = await at.adOrders.get(buy.media_buy_id);
    expect(await ring(buy, 'another')).toBe(false);
    expect(await ring({ media_buy_id: mediaBuyId('mb_unheard_of') })).toBe(false);
    expect(await at.adOrders.get(buy.media_buy_id)).toEqual(before);
    expect(await at.desk.lookDue()).toBe(0);
    // One that is being told for the first time has no row yet.
    const { media_buy_id } = await at.held();
    expect([await ring({ media_buy_id }), await ring({ media_buy_id }, 'another')]).toEqual([true, false]);
  });

  it('that is over is heard, and not read', async () => {
    const buy = await at.running();
    await at.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, status: 'completed', open: false }));
    await at.courier.tell(buy.media_buy_id);
    expect(await ring(buy)).toBe(true);
    expect(await at.desk.lookDue()).toBe(0);
  });
});
