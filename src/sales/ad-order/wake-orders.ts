import { allRows } from '../../platform/store/all-rows.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';

/** Makes every order that waits for its time due at once: the ad server answers again. Stops are told first all the same. */
export async function wakeOrders({
  mediaBuys,
  clock,
}: {
  mediaBuys: Collection<MediaBuy>;
  clock: Clock;
}): Promise<void> {
  const order_due_at = toTimestamp(clock.now());
  for await (const { media_buy_id } of allRows(mediaBuys, { where: { order_due_at: { gt: order_due_at } } })) {
    await mediaBuys.update(media_buy_id, (buy) =>
      (buy.order_due_at ?? '') > order_due_at ? { ...buy, order_due_at } : undefined,
    );
  }
}
