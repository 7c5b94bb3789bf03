import type { MediaBuy } from '../media-buy/media-buy.ts';
import { awaitsCounts } from './budget-cut.ts';
import type { CourierDependencies } from './courier-dependencies.ts';

/**
 * Whether it is the ad server that a buy waits for, nobody knows how long: it is away, its answer to what is open is not known or
 * `pending`, or it has yet to count. False while the order is being told, or is about to be: that is a matter of moments.
 */
export async function isHeldUp(
  { adOrders, breaker }: Pick<CourierDependencies, 'adOrders' | 'breaker'>,
  buy: MediaBuy,
): Promise<boolean> {
  if (awaitsCounts(buy) || (await breaker.isOpen())) return true;
  return ((await adOrders.get(buy.media_buy_id))?.last_fault ?? null) !== null;
}
