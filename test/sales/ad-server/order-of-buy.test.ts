import { afterEach, expect, it } from 'vitest';
import { orderOfBuy } from '../../../src/sales/ad-server/order-of-buy.ts';
import { SimulatedOrders } from '../../../src/sales/ad-server/simulated-order.ts';
import { openSales } from '../support/open-sales.ts';
import type { OpenSales } from '../support/open-sales.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

let sales: OpenSales;
afterEach(() => sales.close());

it('an order goes by the writes of its row: one made of an older row is stale, though buyers see the same', async () => {
  sales = await openSales({ at: '2026-03-30T09:17:00.000Z' });
  const buy = sampleMediaBuy({ pending_reason: 'start_time' });
  await sales.mediaBuys.insert(buy);
  const outcome = await sales.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, brand_manifest: {} }));
  if (outcome === undefined) throw new Error('the buy is gone');
  expect(outcome.row).toMatchObject({ revision: 1, row_version: 2 });
  await sales.adServer.reserve(orderOfBuy(buy, () => false));
  await sales.adServer.apply(orderOfBuy(outcome.row, () => true));
  const told = await sales.store.collection(SimulatedOrders).get(buy.media_buy_id);
  expect(told?.instructions.at(-1)).toMatchObject({
    revision: 2,
    lines: [{ is_serving: true }, { is_serving: false }],
  });
  expect(await sales.adServer.apply(orderOfBuy(buy, () => false))).toEqual({ applied: true });
  expect(await sales.store.collection(SimulatedOrders).get(buy.media_buy_id)).toEqual(told);
});
