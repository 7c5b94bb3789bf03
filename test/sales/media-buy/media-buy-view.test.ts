import { expect, it } from 'vitest';
import { z } from 'zod';
import { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { MediaBuyView, toMediaBuyView } from '../../../src/sales/media-buy/media-buy-view.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

it("[B3] amounts leave the store as decimals and everything keeps the wire's spelling", () => {
  const view = toMediaBuyView(sampleMediaBuy());
  expect(MediaBuyView.parse(view)).toEqual(view);
  expect(view).toMatchObject({
    media_buy_id: 'mb_1',
    buyer_ref: 'spring-launch',
    status: 'pending',
    pending_reason: 'creatives',
    currency: 'USD',
    total_budget: 12_500.5,
    revision: 1,
  });
  expect(view.packages[0]).toMatchObject({ package_id: 'pkg_1', budget: 10_000, bid_price: 21.5, floor: 18 });
  expect(view.packages[1]).toMatchObject({ package_id: 'pkg_2', budget: 2500.5, price: 6.5 });
});

it('what a buy does not have is left out of the answer, never null', () => {
  expect(JSON.stringify(toMediaBuyView(sampleMediaBuy()))).not.toContain('null');
  const view = toMediaBuyView(sampleMediaBuy());
  expect(Object.keys(view.packages[1] ?? {})).not.toContain('bid_price');
  expect(Object.keys(view.packages[1] ?? {})).not.toContain('buyer_ref');
});

it('only a pending buy says what it waits for', () => {
  expect(toMediaBuyView(sampleMediaBuy({ status: 'paused' }))).not.toHaveProperty('pending_reason');
});

it("the answer says nothing of the seller's own bookkeeping", () => {
  const view = toMediaBuyView(sampleMediaBuy());
  for (const field of ['organization_id', 'open', 'history', 'task_id']) expect(view).not.toHaveProperty(field);
  expect(z.toJSONSchema(MediaBuyView)).toMatchObject({ type: 'object' });
});

it('a row with money that is not a whole number of minor units, or a date that is no UTC timestamp, is refused', () => {
  expect(MediaBuy.safeParse(sampleMediaBuy()).success).toBe(true);
  expect(MediaBuy.safeParse(sampleMediaBuy({ total_budget_minor: 10.5 })).success).toBe(false);
  expect(MediaBuy.safeParse(sampleMediaBuy({ total_budget_minor: -1 })).success).toBe(false);
  expect(MediaBuy.safeParse(sampleMediaBuy({ start_time: '2026-04-01T00:00:00+02:00' })).success).toBe(false);
  expect(MediaBuy.safeParse(sampleMediaBuy({ packages: [] })).success).toBe(false);
});

it('[B7] the store keeps one open buy of a buyer_ref per organization, and one buy per task', () => {
  const unique = MediaBuys.indexes.filter((index) => index.unique);
  expect(unique.map(({ fields, where }) => ({ fields, where }))).toEqual([
    { fields: ['organization_id', 'buyer_ref'], where: { open: true } },
    { fields: ['task_id'], where: undefined },
  ]);
});
