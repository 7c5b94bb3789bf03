import { toTimestamp } from '../../platform/clock.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { blankAdOrderRow } from './ad-order-row.ts';
import type { CourierDependencies } from './courier-dependencies.ts';

/** What the ad server holds of a buy is asked at once. */
export async function hurryLook(
  { adOrders, ad_server_id, clock }: Pick<CourierDependencies, 'adOrders' | 'ad_server_id' | 'clock'>,
  media_buy_id: MediaBuyId,
): Promise<void> {
  const look_due_at = toTimestamp(clock.now());
  const known = await adOrders.update(media_buy_id, (row) => ({ ...row, look_due_at }));
  if (known === undefined) await adOrders.insert(blankAdOrderRow({ media_buy_id, ad_server_id }, look_due_at));
}
