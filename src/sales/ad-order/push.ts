import { AppError } from '../../platform/errors.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { assertOpen } from '../media-buy/transitions.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import type { Courier } from './courier.ts';
import { hasOpen, withOpenChange } from './open.ts';

/**
 * Tells the ad server the order anew, under the next version, so that what a person has done to it there is undone. Again while
 * such a telling is under way only hurries it. Answers the buy, which may still wait for the ad server.
 * @throws {AppError} `NOT_FOUND`; `INVALID_STATE` when the buy is over, is not held there yet, or waits for another answer.
 */
export async function pushOrder(
  { mediaBuys, courier }: Pick<CourierDependencies, 'mediaBuys'> & { courier: Courier },
  media_buy_id: MediaBuyId,
): Promise<MediaBuy> {
  for (;;) {
    const buy = await mediaBuys.get(media_buy_id);
    if (buy === undefined) throw unknownOrder(media_buy_id);
    assertOpen(buy);
    if (!buy.stop && buy.open_change?.kind === 'system') break;
    if (hasOpen(buy)) throw waitsAlready(buy);
    if (holdingOf(buy) === null) {
      throw new AppError('INVALID_STATE', `the ad server holds nothing of ${media_buy_id} yet`, {
        field: 'media_buy_id',
      });
    }
    const next = withOpenChange(buy, { kind: 'system', task_id: null }, await courier.look(buy));
    if ((await mediaBuys.replace(next)) !== undefined) break;
  }
  const told = await courier.tell(media_buy_id, { inHand: true });
  if (told === undefined) throw unknownOrder(media_buy_id);
  return told;
}

/** `NOT_FOUND`. */
export function unknownOrder(media_buy_id: string): AppError {
  return new AppError('NOT_FOUND', `no media buy has the id ${media_buy_id}`, { field: 'media_buy_id' });
}

function waitsAlready({ media_buy_id, stop, open_change }: MediaBuy): AppError {
  const kind = stop ? (stop.order.state === 'ended' ? 'an end' : 'a pause') : `a change (${open_change?.kind ?? ''})`;
  const task_id = stop?.causes.find((cause) => cause.task_id !== null)?.task_id ?? open_change?.task_id ?? undefined;
  const whose = task_id === undefined ? '' : ` of task ${task_id}`;
  return new AppError('INVALID_STATE', `${kind}${whose} of ${media_buy_id} waits for the ad server already`, {
    field: 'media_buy_id',
    suggestion: 'push it once that is answered; whatever is answered is told as the order is to be',
  });
}
