import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import type { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { IdOfMediaBuy, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { BuyInFullView } from './buy-view.ts';
import { buyInFull } from './operations.ts';

const BuyPath = z.strictObject({ media_buy_id: IdOfMediaBuy });

/** Cancels one as its buyer can. */
export const cancelBuy = operation({
  method: 'post',
  path: '/media-buys/:media_buy_id/cancel',
  summary: 'Cancel a media buy for good; the buyer is told why. Type its id or buyer ref to confirm.',
  role: 'admin',
  action: 'buys.cancel',
  done: ({ status }) =>
    status === 'canceled'
      ? 'The media buy is canceled; the buyer is told why.'
      : 'The media buy is being canceled; the buyer is told why.',
  params: BuyPath,
  body: z.strictObject({
    /** Told to the buyer. */
    reason: Words,
    /** Its id or its buyer's reference, so that no other is meant. */
    confirm: z.string().trim().max(512, 'must be at most 512 characters'),
  }),
  answer: BuyInFullView,
  async handle({ params: { media_buy_id }, body: { reason, confirm } }, deps) {
    const buy = await deps.sales.mediaBuys.get(media_buy_id);
    if (buy !== undefined && confirm !== media_buy_id && confirm !== buy.buyer_ref) {
      throw new AppError('VALIDATION_ERROR', 'confirm: type the id of the media buy, or its buyer ref', {
        field: 'confirm',
      });
    }
    await deps.orders.cancel(media_buy_id, reason);
    return shown(deps, media_buy_id);
  },
});

/** Holds one back: nothing of it runs until it is released. */
export const holdBuy = operation({
  method: 'post',
  path: '/media-buys/:media_buy_id/hold',
  summary: 'Hold a media buy back until it is released: nothing of it runs, and its buyer is told why.',
  role: 'operator',
  action: 'buys.hold',
  done: () => 'The media buy is held back until it is released.',
  undo: 'buys.release',
  params: BuyPath,
  body: z.strictObject({
    /** Told to the buyer. */
    reason: Words,
  }),
  answer: BuyInFullView,
  async handle({ params: { media_buy_id }, body: { reason } }, deps) {
    await deps.orders.hold(media_buy_id, { reason, by: deps.by });
    return shown(deps, media_buy_id);
  },
});

/** Lets one go on as its buyer last asked. */
export const releaseBuy = operation({
  method: 'post',
  path: '/media-buys/:media_buy_id/release',
  summary: 'Release a media buy that is held back: what ran runs again, what its buyer paused stays paused.',
  role: 'operator',
  action: 'buys.release',
  done: () => 'The media buy is held back no more.',
  params: BuyPath,
  answer: BuyInFullView,
  async handle({ params: { media_buy_id } }, deps) {
    await deps.orders.release(media_buy_id);
    return shown(deps, media_buy_id);
  },
});

/** Asks the ad server in a moment what one has delivered. */
export const askForBuysReport = operation({
  method: 'post',
  path: '/media-buys/:media_buy_id/report',
  summary: 'Ask the ad server in a moment what a media buy has delivered, and not only at the next hour.',
  role: 'operator',
  action: 'buys.report',
  done: () => 'The ad server is asked in a moment, for the hours that are over.',
  params: BuyPath,
  answer: BuyInFullView,
  async handle({ params: { media_buy_id } }, deps) {
    await deps.orders.askForReport(media_buy_id);
    return shown(deps, media_buy_id);
  },
});

async function shown(deps: OperatorDeps, media_buy_id: MediaBuyId): Promise<BuyInFullView> {
  return buyInFull(deps, (await deps.orders.show(media_buy_id)).buy);
}
