import type { JsonObject } from '../../platform/json-object.ts';
import { impressionsFor } from '../../platform/money.ts';
import type { AdLine, AdOrder, AdOrderState, Advertiser } from '../ad-server/ad-order.ts';
import { orderDigestOf } from '../ad-server/order-digest.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { lineEnd, lineStart } from '../media-buy/media-buy-package.ts';
import type { MediaBuyPackage } from '../media-buy/media-buy-package.ts';
import { isOnHold } from '../media-buy/seller-hold.ts';
import { isToRun } from '../media-buy/to-run.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import { capOf } from '../targeting/frequency-cap.ts';
import { readStoredOverlay } from '../targeting/stored-overlay.ts';
import { toldTargeting } from '../targeting/told-targeting.ts';

/** What an order is made from, besides the buy. */
export interface OrderFacts {
  ad_server_id: string;
  /** The version of one of the buyer's creatives, by its name, that may be shown; undefined for one that may not. */
  approvedVersion(ref: string): number | undefined;
  /** What the ad server is to know of a product, as the seller has configured it. */
  configOf(product_id: string): JsonObject;
}

/** The state in which a buy is to stand at the ad server. A buy that waits for its start alone runs: the ad server keeps to the flight. */
export function adOrderStateOf(buy: MediaBuy): AdOrderState {
  const { status } = buy;
  if (isTerminalBuy(status)) return 'ended';
  if (status === 'paused' && !isToRun(buy)) return 'paused';
  if (status === 'active') return 'running';
  const state = holdingOf(buy)?.state;
  const isTold = state === 'running' || state === 'paused';
  // What was paused while a person decides stands still as it is.
  if (!isTold || (buy.pending_reason === 'approval' && state === 'running')) return 'held';
  // One that has been told ahead of its start stands still while the seller holds it back.
  return isOnHold(buy) ? 'paused' : state;
}

/** A buy as the ad server is to run it, in a state and under a version. Pure. */
export function adOrderOf(buy: MediaBuy, state: AdOrderState, version: number, facts: OrderFacts): AdOrder {
  const content = {
    media_buy_id: buy.media_buy_id,
    created_at: buy.created_at,
    ad_server_id: facts.ad_server_id,
    advertiser: advertiserOf(buy),
    name: buy.name ?? buy.buyer_ref,
    ...(buy.po_number !== undefined && { po_number: buy.po_number }),
    currency: buy.currency,
    start: buy.start_time,
    end: buy.end_time,
    state,
    lines: buy.packages.map((line) => lineOf(buy, line, state, facts)),
  };
  return { ...content, version, digest: orderDigestOf(content) };
}

function lineOf(buy: MediaBuy, line: MediaBuyPackage, state: AdOrderState, facts: OrderFacts): AdLine {
  const { overlay } = readStoredOverlay(line.targeting_overlay ?? {});
  const frequency_cap = overlay.frequency_cap && capOf(overlay.frequency_cap);
  const rate_minor = line.bid_price_minor ?? line.price_minor ?? 0;
  const hasGoal = line.pricing_model !== 'flat-fee' && rate_minor > 0;
  return {
    package_id: line.package_id,
    name: line.buyer_ref ?? line.product_name,
    product_id: line.product_id,
    delivery_type: line.delivery_type,
    config: facts.configOf(line.product_id),
    pricing: { model: line.pricing_model, rate_minor },
    budget_minor: line.budget_minor,
    ...(hasGoal && { goal: { unit: 'impressions' as const, units: impressionsFor(line.budget_minor, rate_minor) } }),
    pacing: 'even',
    start: lineStart(buy, line),
    end: lineEnd(buy, line),
    state: state === 'ended' ? 'ended' : line.paused ? 'paused' : 'running',
    targeting: toldTargeting(overlay, line.offered_targeting),
    ...(frequency_cap !== undefined && { frequency_cap }),
    creatives: line.creative_ids.flatMap((ref) => {
      const version = facts.approvedVersion(ref);
      return version === undefined ? [] : [{ creative_id: ref, version }];
    }),
  };
}

/** For whom the buy is, as far as its brand tells. */
function advertiserOf({ organization_id, brand_manifest }: MediaBuy): Advertiser {
  const { name, url } = brand_manifest;
  const domain = typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
  return {
    organization_id,
    name: typeof name === 'string' && name !== '' ? name : organization_id,
    ...(domain !== undefined && domain !== '' && { domain }),
  };
}
