import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import type { Courier } from './courier.ts';
import type { Planning } from './open.ts';
import { unknownOrder } from './push.ts';

export type SellersDependencies = Pick<CourierDependencies, 'mediaBuys'> & { courier: Courier };

/**
 * Writes what a person at the seller wants of a buy, and tells the ad server.
 * @param next What the buy becomes; undefined where it is so already. Asked anew for each version that stands in the way; throws what it
 *   refuses.
 * @throws {AppError} `NOT_FOUND`.
 */
export async function writeBySeller(
  { mediaBuys, courier }: SellersDependencies,
  media_buy_id: MediaBuyId,
  next: (buy: MediaBuy, look: () => Promise<Planning>) => Promise<MediaBuy | undefined>,
): Promise<MediaBuy> {
  let inHand = false;
  while (!inHand) {
    const buy = await mediaBuys.get(media_buy_id);
    if (buy === undefined) throw unknownOrder(media_buy_id);
    const changed = await next(buy, () => courier.look(buy));
    if (changed === undefined) break;
    inHand = (await mediaBuys.replace(changed, buy)) !== undefined;
  }
  const told = await courier.tell(media_buy_id, { inHand });
  if (told === undefined) throw unknownOrder(media_buy_id);
  return told;
}
