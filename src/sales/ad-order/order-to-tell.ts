import { toTimestamp } from '../../platform/clock.ts';
import type { AdOrder } from '../ad-server/ad-order.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { CourierDependencies } from './courier-dependencies.ts';

/** What the buy owes the ad server to be told: a stop before anything else. */
export function orderToTell({ stop, open_change }: MediaBuy): AdOrder | undefined {
  return stop?.order ?? open_change?.order ?? undefined;
}

/** When this version is told again, if it is still what is owed. */
export async function dueAt(
  { mediaBuys }: CourierDependencies,
  { media_buy_id, version }: AdOrder,
  ms: number,
): Promise<void> {
  const order_due_at = toTimestamp(ms);
  await mediaBuys.update(media_buy_id, (buy) =>
    orderToTell(buy)?.version === version ? { ...buy, order_due_at } : undefined,
  );
}
