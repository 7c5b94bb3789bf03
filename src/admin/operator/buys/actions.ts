import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { Approvals, openApprovalsOf } from '../../../sales/approval/approval.ts';
import type { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { isTerminalBuy } from '../../../sales/media-buy/transitions.ts';
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
    const { status } = await deps.orders.cancel(media_buy_id, reason);
    if (isTerminalBuy(status)) await wakeWhatWaits(deps, media_buy_id);
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

/** Whatever of a buy that is over waits for a person has nothing to wait for: it looks, and takes back what it asked. */
async function wakeWhatWaits({ store, runtime }: OperatorDeps, media_buy_id: MediaBuyId): Promise<void> {
  for (const { task_id } of await openApprovalsOf(store.collection(Approvals), media_buy_id))
    await runtime.wake(task_id, { interrupted: true });
}
