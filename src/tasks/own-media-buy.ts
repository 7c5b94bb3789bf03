import type { Collection } from '../platform/collection.ts';
import { AppError } from '../platform/errors.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';

/**
 * The caller's own media buy.
 * @throws {AppError} `MEDIA_BUY_NOT_FOUND`, the same for an id that never was and for another organization's (rules T5,
 * B13).
 */
export async function ownMediaBuy(
  mediaBuys: Collection<MediaBuy>,
  organization_id: string,
  media_buy_id: string,
  field = 'media_buy_id',
): Promise<MediaBuy> {
  const buy = await mediaBuys.get(media_buy_id);
  if (buy?.organization_id === organization_id) return buy;
  throw new AppError('MEDIA_BUY_NOT_FOUND', `${field}: you have no media buy with the id ${media_buy_id}`, { field });
}
