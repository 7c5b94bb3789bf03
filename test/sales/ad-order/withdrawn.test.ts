import { afterEach, beforeEach, expect, it } from 'vitest';
import { withChange } from '../../../src/sales/ad-order/open.ts';
import { verdictOf } from '../../../src/sales/ad-order/verdict.ts';
import { PROBE_EVERY_MS } from '../../../src/sales/ad-order/breaker.ts';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const TASK = taskId('task_raise');

describeOnStores('a change that waits for the ad server when its creative is suspended, on %s', (store) => {
  let at: Orders;
  beforeEach(async () => {
    at = await openOrders(store);
  });
  afterEach(() => at.close());

  /** A running buy whose raise the ad server has not answered, the line being cut. */
  async function waitingRaise(): Promise<MediaBuy> {
    const buy = await at.running();
    const [line] = buy.packages;
    if (line === undefined) throw new Error('a buy without packages');
    const { package_id, budget_minor } = line;
    const packages = [{ package_id, budget_minor: budget_minor + 100 }];
    const change = { packages, affected_packages: [package_id], changes: ['packages'] };
    at.cut = true;
    await at.mediaBuys.replace(withChange(buy, { task_id: TASK, change }, await at.courier.look(buy)));
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    return buy;
  }
  const suspend = ({ organization_id }: MediaBuy) =>
    at.creatives.update(creativeKey(organization_id, 'c1'), (row) => ({ ...row, status: 'suspended' }));
  const comesBack = async () => {
    at.cut = false;
    at.calls.length = 0;
    at.clock.advance(PROBE_EVERY_MS);
    await at.breaker.probeDue();
    at.clock.advance(3_600_000);
    await at.courier.tellDue();
  };
  const puts = () => at.calls.filter((call) => call.startsWith('put'));

  it.each([
    ['by nobody, until it is due', false],
    ['by a recheck, as a suspension brings one', true],
  ])(
    '[I11] shows it no more: what runs is paused, and the change is made without it; noticed %s',
    async (_who, hasRecheck) => {
      const buy = await waitingRaise();
      await suspend(buy);
      if (hasRecheck) {
        await at.recheck(buy.media_buy_id);
        expect((await at.mediaBuys.get(buy.media_buy_id))?.stop).toMatchObject({ order: { state: 'paused' } });
      }
      await comesBack();
      expect(puts()).toEqual(['put paused', 'put running']);
      const told = await at.mediaBuys.get(buy.media_buy_id);
      if (told === undefined) throw new Error('no buy');
      expect(verdictOf(told, TASK)).toMatchObject({ outcome: 'done' });
      expect(told).toMatchObject({ status: 'active', stop: null, open_change: null, held: { state: 'running' } });
      for (const { package_id, budget_minor } of told.packages) {
        expect(await at.controls.look(buy.media_buy_id, package_id)).toMatchObject({ budget_minor, creatives: [] });
      }
      expect(told.history.map(({ action }) => action).slice(buy.history.length)).toEqual(['updated']);
    },
  );

  it('[I11] is told as it was planned while the creative may be shown', async () => {
    await waitingRaise();
    await comesBack();
    expect(puts()).toEqual(['put running']);
  });
});
