import type { MediaBuy, MediaBuyPackage } from '../media-buy/media-buy.ts';
import { capOf } from '../targeting/frequency-cap.ts';
import { readStoredOverlay } from '../targeting/stored-overlay.ts';
import { toldTargeting } from '../targeting/told-targeting.ts';
import type { FirstAdOrder, FirstAdOrderLine, FirstAdOrderState } from './first-port.ts';

/**
 * What the ad server is to run for a buy as it stands, under a number that grows with every write of its row. `isApproved`:
 * whether a creative of the buyer's may be shown. A buy that waits for its start alone is running already, since the ad
 * server keeps to the flight by itself. Pure.
 */
export function orderOfBuy(buy: MediaBuy, isApproved: (creative_id: string) => boolean): FirstAdOrder {
  const { media_buy_id, buyer_ref, row_version: revision, created_at, start_time, end_time, currency } = buy;
  const lines = buy.packages.map((line) => lineOf(line, currency, isApproved));
  return { media_buy_id, buyer_ref, revision, created_at, start_time, end_time, state: stateOf(buy), lines };
}

function stateOf({ status, pending_reason }: MediaBuy): FirstAdOrderState {
  if (status === 'active' || (status === 'pending' && pending_reason === 'start_time')) return 'running';
  if (status === 'pending') return 'held';
  return status === 'paused' ? 'paused' : 'ended';
}

function lineOf(
  line: MediaBuyPackage,
  currency: string,
  isApproved: (creative_id: string) => boolean,
): FirstAdOrderLine {
  const { package_id, product_id, buyer_ref, budget_minor, pricing_model, paused } = line;
  const { overlay } = readStoredOverlay(line.targeting_overlay ?? {});
  const frequency_cap = overlay.frequency_cap && capOf(overlay.frequency_cap);
  return {
    ...{ package_id, product_id, buyer_ref, budget_minor, currency, pricing_model, paused },
    rate_minor: line.bid_price_minor ?? line.price_minor ?? 0,
    creative_ids: line.creative_ids.filter(isApproved),
    targeting: toldTargeting(overlay, line.offered_targeting),
    ...(frequency_cap !== undefined && { frequency_cap }),
  };
}
