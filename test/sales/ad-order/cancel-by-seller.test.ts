import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { hooksOfEach, withStoreHooks } from '../../support/store-hooks.ts';
import { dyingAt } from '../../runtime/support/open-runtime.ts';
import { sampleApproval } from '../support/sample-approval.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const WHY = 'the brand is not to be served';

describeOnStores('a media buy that the seller cancels, on %s', (store) => {
  let at: Orders;
  const { hooks, run } = hooksOfEach();
  beforeEach(async () => {
    at = await openOrders(store, (plain) => withStoreHooks(plain, hooks));
  });
  afterEach(() => at.close());

  const now = async ({ media_buy_id }: MediaBuy) => at.mediaBuys.get(media_buy_id);
  const canceledIn = (buy: MediaBuy | undefined) =>
    buy?.history.filter(({ action, actor }) => action === 'canceled' && actor === 'seller') ?? [];

  it('[B2] ends at the ad server first, says why in its history once, and cannot be canceled again', async () => {
    const buy = await at.running();
    const over = await at.desk.cancel(buy.media_buy_id, WHY);
    expect(over).toMatchObject({ status: 'canceled', open: false, stop: null, held: { state: 'ended' } });
    expect(canceledIn(over)).toMatchObject([{ note: WHY, task_id: null }]);
    expect(await at.adServer.read(buy.media_buy_id)).toMatchObject({ state: 'ended' });
    expect(await at.desk.cancel(buy.media_buy_id, WHY)).toEqual(over);
    await expect(at.desk.cancel(buy.media_buy_id, 'for another')).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
    await expect(at.desk.cancel(mediaBuyId('mb_none'), WHY)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('[B2] by two people at once is canceled for the reason of one, and the other is told', async () => {
    const buy = await at.running();
    const both = await Promise.allSettled(['mine', 'yours'].map((why) => at.desk.cancel(buy.media_buy_id, why)));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = both.find((one) => one.status === 'rejected');
    expect(lost?.reason).toMatchObject({ code: 'NOT_CANCELLABLE', details: { field: 'media_buy_id' } });
    expect(canceledIn(await now(buy))).toHaveLength(1);
  });

  it('[B2] stays as it was while the ad server is away, and is canceled once its end holds', async () => {
    const buy = await at.running();
    at.cut = true;
    const asked = await at.desk.cancel(buy.media_buy_id, WHY);
    expect(asked).toMatchObject({ status: 'active', stop: { order: { state: 'ended' } } });
    await expect(at.desk.cancel(buy.media_buy_id, 'for another')).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
    at.cut = false;
    at.clock.advance(3_600_000);
    await at.courier.tellDue();
    expect(canceledIn(await now(buy))).toMatchObject([{ note: WHY }]);
    expect(await now(buy)).toMatchObject({ status: 'canceled', stop: null });
  });

  it('[B2] that waits for approval wakes its task once it is over, also when the ad server comes back only later', async () => {
    const { media_buy_id, task_id } = await at.running();
    await at.approvals.insert(sampleApproval(at.clock.now(), { media_buy_id, task_id }));
    at.told.woken.length = 0;
    at.cut = true;
    await at.desk.cancel(media_buy_id, WHY);
    expect(at.told.woken).not.toContain(task_id);
    at.cut = false;
    at.clock.advance(3_600_000);
    await at.courier.tellDue();
    expect(await at.mediaBuys.get(media_buy_id)).toMatchObject({ status: 'canceled' });
    expect(at.told.woken).toContain(task_id);
  });

  it('[B2] is canceled once for its reason, wherever the process is killed, as time passes or the click comes again', async () => {
    for (const moment of ['before', 'after'] as const) {
      const diedAt: string[] = [];
      for (let n = 1; ; n++) {
        const buy = await at.running();
        await at.approvals.insert(
          sampleApproval(at.clock.now(), { media_buy_id: buy.media_buy_id, task_id: buy.task_id }),
        );
        const dying = dyingAt(moment, n);
        const story = run(dying, () => at.desk.cancel(buy.media_buy_id, WHY).then(() => undefined));
        const died = await Promise.race([dying.died, story]);
        if (died !== undefined) diedAt.push(died);
        if ((await now(buy))?.status === 'canceled') expect(at.told.woken).toContain(buy.task_id);
        const wasAsked = ((await now(buy))?.stop ?? null) !== null;
        if (!wasAsked || n % 2 === 0) await at.desk.cancel(buy.media_buy_id, WHY);
        at.clock.advance(3_600_000);
        await at.courier.tellDue();
        expect(await now(buy)).toMatchObject({ status: 'canceled', stop: null, held: { state: 'ended' } });
        expect(at.told.woken).toContain(buy.task_id);
        expect(canceledIn(await now(buy))).toMatchObject([{ note: WHY }]);
        expect(await at.adServer.read(buy.media_buy_id)).toMatchObject({ state: 'ended' });
        if (died === undefined) break;
      }
      expect(diedAt.filter((collection) => collection === 'media_buys').length).toBeGreaterThan(1);
    }
  });

  it('asks what one has delivered in a moment, and no more once all is settled', async () => {
    const buy = await at.running();
    await at.mediaBuys.update(buy.media_buy_id, (row) => at.flights.opened(row));
    await at.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, flight_due_at: '2999-01-01T00:00:00.000Z' }));
    const asked = await at.desk.askForReport(buy.media_buy_id);
    expect(asked).toMatchObject({ flight_due_at: new Date(at.clock.now()).toISOString(), revision: buy.revision });
    expect(await at.desk.askForReport(buy.media_buy_id)).toEqual(asked);
    at.calls.length = 0;
    expect(await at.flights.processDue()).toBe(1);
    expect(at.calls).toContain('statements');
    await at.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, flight_due_at: null }));
    await expect(at.desk.askForReport(buy.media_buy_id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(at.desk.askForReport(mediaBuyId('mb_none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
