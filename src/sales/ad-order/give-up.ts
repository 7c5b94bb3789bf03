import { AppError } from '../../platform/errors.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { assertOpen } from '../media-buy/transitions.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import type { Courier } from './courier.ts';
import { endWaiting } from './end-waiting.ts';
import { hurryLook } from './hurry-look.ts';
import { isGivenUp, withGiveUp } from './given-up.ts';
import { hasOpen } from './open.ts';
import { unknownOrder } from './push.ts';

type GiveUpDependencies = Pick<
  CourierDependencies,
  'mediaBuys' | 'adOrders' | 'ad_server_id' | 'clock' | 'wakeTask'
> & { courier: Courier };

/**
 * Gives an order up whose answer is awaited: its end goes out as a stop. Once that holds, or a look finds nothing of it there, the
 * buy is canceled by the seller and the task of its change fails with `SERVICE_UNAVAILABLE`. Repeatable.
 * @param reason Told to the buyer, in the buy's history.
 * @param isForced Ends them at once, though what the ad server holds is not known: they fail with `details.effect: 'unknown'`.
 * @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for a buy that is over, or that waits for no answer.
 */
export async function giveUpOrder(
  deps: GiveUpDependencies,
  media_buy_id: MediaBuyId,
  { reason, isForced }: { reason: string; isForced: boolean },
): Promise<MediaBuy> {
  const { mediaBuys, courier } = deps;
  let isNew = false;
  for (;;) {
    const buy = await mediaBuys.get(media_buy_id);
    if (buy === undefined) throw unknownOrder(media_buy_id);
    if (isGivenUp(buy)) break;
    // What is over has nobody who waits; its end is told until it holds.
    assertOpen(buy);
    if (!hasOpen(buy)) throw nothingOpen(buy);
    isNew = (await mediaBuys.replace(withGiveUp(buy, reason, await courier.look(buy)))) !== undefined;
    if (isNew) break;
  }
  // Of what the ad server does not hold, nobody needs to wait for the end.
  await hurryLook(deps, media_buy_id);
  if (isForced) await endWaiting(deps, media_buy_id, false);
  const told = await courier.tell(media_buy_id, { inHand: isNew });
  if (told === undefined) throw unknownOrder(media_buy_id);
  return told;
}

function nothingOpen(buy: MediaBuy): AppError {
  return new AppError(
    'INVALID_STATE',
    `${buy.media_buy_id} waits for no answer of the ad server: there is nothing to give up`,
    {
      field: 'media_buy_id',
    },
  );
}
