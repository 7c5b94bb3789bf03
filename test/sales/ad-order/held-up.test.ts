import { afterEach, beforeEach, expect, it } from 'vitest';
import { Unreachable } from '../../../src/sales/ad-server/faults.ts';
import { OPENS_AFTER, PROBE_EVERY_MS } from '../../../src/sales/ad-order/breaker.ts';
import { until } from '../../support/until.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

let at: Orders;
beforeEach(async () => {
  at = await openOrders();
});
afterEach(() => at.close());

it('[T2.wait] an order that is being told, or about to be, is not held up by the ad server', async () => {
  const buy = await at.held();
  expect(await at.courier.isHeldUp(buy)).toBe(false);
  let answer: () => void = () => undefined;
  at.answersAfter = new Promise((resolve) => (answer = resolve));
  const telling = at.courier.tell(buy.media_buy_id, { inHand: true });
  await until(() => at.calls.length === 1);
  expect(await at.courier.isHeldUp((await at.mediaBuys.get(buy.media_buy_id)) ?? buy)).toBe(false);
  answer();
  await telling;
});

it('[T2.wait] one whose answer is not known is held up until it is', async () => {
  const { media_buy_id } = await at.held();
  at.cut = true;
  const putOff = await at.courier.tell(media_buy_id, { inHand: true });
  expect(putOff && (await at.courier.isHeldUp(putOff))).toBe(true);
  at.cut = false;
  at.clock.advance(60_000);
  expect(await at.courier.tellDue()).toBe(1);
  const told = await at.mediaBuys.get(media_buy_id);
  expect(told?.open_change).toBeNull();
  expect(told && (await at.courier.isHeldUp(told))).toBe(false);
});

it('[T2.wait] all are while the ad server is away, and none any more once it answers', async () => {
  const other = await at.held();
  for (let n = 0; n < OPENS_AFTER; n++) await at.breaker.failed(new Unreachable('the line is cut', { sent: 'no' }));
  expect(await at.courier.isHeldUp(other)).toBe(true);
  at.clock.advance(PROBE_EVERY_MS);
  await at.breaker.probeDue();
  expect(await at.courier.isHeldUp(other)).toBe(false);
});

it('[T2.wait] one that the ad server has taken and not decided is held up', async () => {
  await at.controls.take({ pending_for_s: 86_400 });
  const { media_buy_id } = await at.held();
  const told = await at.courier.tell(media_buy_id, { inHand: true });
  expect(told && (await at.courier.isHeldUp(told))).toBe(true);
});
