import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { withFlightTouched } from '../media-buy/looked-at-soon.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { unknownOrder } from './push.ts';

/**
 * Has what a buy has delivered asked of the ad server in a moment, within what that allows an hour. Repeatable.
 * @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for a buy whose flight nobody looks after any more.
 */
export async function askForReport(
  { mediaBuys, clock }: Pick<CourierDependencies, 'mediaBuys' | 'clock'>,
  media_buy_id: MediaBuyId,
): Promise<MediaBuy> {
  const outcome = await mediaBuys.update(media_buy_id, (buy) => {
    if (!isLookedAfter(buy)) return undefined;
    const touched = withFlightTouched(buy, toTimestamp(clock.now()));
    return touched === buy ? undefined : touched;
  });
  if (outcome === undefined) throw unknownOrder(media_buy_id);
  if (isLookedAfter(outcome.row)) return outcome.row;
  throw new AppError('INVALID_STATE', `all that ${media_buy_id} has delivered is settled: nothing more is asked`, {
    field: 'media_buy_id',
  });
}

function isLookedAfter({ flight, flight_due_at = null }: MediaBuy): boolean {
  return flight !== undefined && flight_due_at !== null;
}
