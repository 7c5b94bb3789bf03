import { AppError } from '../../platform/errors.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { StopCause } from '../media-buy/open-change.ts';
import { isBeingCanceled } from '../media-buy/being-canceled.ts';
import { lookedAtSoon } from '../media-buy/looked-at-soon.ts';
import { transitionRefusal } from '../media-buy/transitions.ts';
import { withStop } from './open.ts';
import { writeBySeller } from './write-by-seller.ts';
import type { SellersDependencies } from './write-by-seller.ts';

/**
 * Cancels a media buy as its buyer can, in the seller's name: its end goes out as a stop, and once that holds it is canceled. Of two
 * at once one wins, and the same for the same reason is answered again.
 * @param reason Told to the buyer, in the buy's history.
 * @throws {AppError} `NOT_FOUND`; `NOT_CANCELLABLE` for a buy that is canceled, or about to be; `INVALID_STATE` for one that is over.
 */
export async function cancelBySeller(
  deps: SellersDependencies,
  media_buy_id: MediaBuyId,
  reason: string,
): Promise<MediaBuy> {
  return writeBySeller(deps, media_buy_id, async (buy, lookAt) => {
    if (isCanceledFor(buy, reason)) return undefined;
    const refusal = refusalOf(buy);
    if (refusal !== undefined) throw refusal;
    const cause: StopCause = { ...{ task_id: null, to_status: 'canceled', note: reason }, ...BY_SELLER };
    const look = await lookAt();
    return lookedAtSoon(buy, withStop(buy, cause, look), look.at);
  });
}

const BY_SELLER = { action: 'canceled', actor: 'seller' } as const;

function isCanceledFor({ stop, history }: MediaBuy, reason: string): boolean {
  return [...(stop?.causes ?? []), ...history].some(
    ({ action, actor, note }) => action === BY_SELLER.action && actor === BY_SELLER.actor && note === reason,
  );
}

function refusalOf(buy: MediaBuy): AppError | undefined {
  if (!isBeingCanceled(buy)) return transitionRefusal(buy, 'canceled');
  return new AppError('NOT_CANCELLABLE', `media buy ${buy.media_buy_id} is about to be canceled already`, {
    field: 'media_buy_id',
  });
}
