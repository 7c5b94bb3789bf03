import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';
import { withStop } from '../../../src/sales/ad-order/open.ts';
import { taskId } from '../../support/ids.ts';

describeOnStores('an order of a buy that is over, on %s', (store) => {
  let at: Orders;
  beforeEach(async () => {
    at = await openOrders(store);
  });
  afterEach(() => at.close());

  it('[I6] whose end the ad server refuses is ended again later, until that is taken', async () => {
    const { media_buy_id } = await at.running();
    const reasons = [{ code: 'other' as const, pointer: '/state', message: 'not now' }];
    await at.controls.take({ refuse: { media_buy_id, reasons } });
    await at.mediaBuys.update(media_buy_id, (row) => ({ ...row, status: 'completed', open: false }));
    at.calls.length = 0;
    const refused = await at.courier.tell(media_buy_id);
    expect(refused).toMatchObject({
      status: 'completed',
      stop: { order: { state: 'ended' } },
      held: { state: 'running' },
    });
    expect(await at.courier.tellDue()).toBe(0);
    expect(at.calls).toEqual(['put ended']);
    await at.controls.take({ refuse: null });
    at.clock.advance(15 * 60_000);
    expect(await at.courier.tellDue()).toBe(1);
    expect(await at.mediaBuys.get(media_buy_id)).toMatchObject({ stop: null, held: { state: 'ended' } });
    expect(await at.adServer.read(media_buy_id)).toMatchObject({ state: 'ended' });
  });

  it.each(['paused', 'canceled'] as const)(
    '[B2] [I1] stays as it ended, though it was to be %s when that was not answered yet: the task is told so',
    async (to_status) => {
      const buy = await at.running();
      const { media_buy_id, history } = buy;
      const task_id = taskId('stops it');
      const cause = { task_id, to_status, action: to_status, actor: 'buyer' as const, note: null };
      at.cut = true;
      await at.mediaBuys.replace(withStop(buy, cause, await at.courier.look(buy)));
      await at.courier.tell(media_buy_id, { own: task_id, inHand: true });
      await at.mediaBuys.update(media_buy_id, (row) => ({ ...row, status: 'completed', open: false }));
      const { revision } = (await at.mediaBuys.get(media_buy_id)) ?? buy;
      at.cut = false;
      at.clock.advance(60_000);
      expect(await at.courier.tellDue()).toBe(1);
      const over = await at.mediaBuys.get(media_buy_id);
      expect(over).toMatchObject({ status: 'completed', revision, history, stop: null, held: { state: 'ended' } });
      expect(over?.verdicts?.[task_id]).toMatchObject({ outcome: 'refused', error: { code: 'INVALID_STATE' } });
      expect(at.told.woken).toContain(task_id);
    },
  );
});
