import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import { Currency, DeliveryType } from '../catalog-values.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { FrequencyCap } from '../targeting/frequency-cap.ts';
import { LineTargeting } from '../targeting/line-targeting.ts';
import { AdInstant, Minor, PortId } from './port-values.ts';

/** How a line is paid for. `rate_minor` is per thousand impressions, for the whole line of a flat fee, or per unit. */
export const AdPricingModel = z.enum(['cpm', 'cpm-auction', 'flat-fee', 'vcpm', 'cpc', 'cpcv']);
export type AdPricingModel = z.infer<typeof AdPricingModel>;

/** How a line spreads its delivery over its flight. */
export const Pacing = z.enum(['even', 'asap', 'front_loaded']);
export type Pacing = z.infer<typeof Pacing>;

/** What the ad server runs for one package. */
export const AdLine = z.strictObject({
  package_id: PortId,
  name: z.string(),
  product_id: PortId,
  delivery_type: DeliveryType,
  /** The product's `implementation_config` for this ad server, verbatim. */
  config: JsonObject,
  pricing: z.strictObject({ model: AdPricingModel, rate_minor: Minor }),
  budget_minor: Minor,
  /** Absent: the budget may be spent in a day. */
  daily_cap_minor: Minor.optional(),
  /** What the budget buys at the rate, rounded down; absent for a flat fee. */
  goal: z
    .strictObject({ unit: z.enum(['impressions', 'viewable', 'clicks', 'completions']), units: z.int().min(0) })
    .optional(),
  pacing: Pacing,
  start: AdInstant,
  end: AdInstant,
  state: z.enum(['running', 'paused', 'ended']),
  /** The product narrowed by the buyer's overlay (rule B14). The line serves nobody outside of it. */
  targeting: LineTargeting,
  /** Absent: as often as it comes. */
  frequency_cap: FrequencyCap.optional(),
  /** Those that may be shown: the approved ones. Without any, the line delivers nothing. */
  creatives: z.array(
    z.strictObject({ creative_id: PortId, version: z.int().min(1), weight: z.int().min(1).max(100).optional() }),
  ),
});
export type AdLine = z.infer<typeof AdLine>;

/** For whom an order or a creative is. */
export const Advertiser = z.strictObject({
  organization_id: PortId,
  name: z.string(),
  domain: z.string().optional(),
  /** The ad server's own id of the advertiser, where the seller has configured one. */
  native_id: z.string().optional(),
});
export type Advertiser = z.infer<typeof Advertiser>;

/**
 * `held`: inventory is kept, nothing runs. `running`: delivers within the flight. `ended`: delivers nothing more, for good;
 * of an order that the ad server has never heard of, a tombstone.
 */
export const AdOrderState = z.enum(['held', 'running', 'paused', 'ended']);
export type AdOrderState = z.infer<typeof AdOrderState>;

/** A media buy as the ad server is to run it: all of it, as of one version. */
export const AdOrder = z.strictObject({
  /** The order's external id: an ad server puts it where it can look it up again. */
  media_buy_id: MediaBuyId,
  /** Strictly growing for a buy, and given out in the buy's row. */
  version: z.int().min(1),
  /** When the buy was made: an ad server whose `clock_speed` is not 1 counts the flight's clock from here. */
  created_at: AdInstant,
  /** Of everything but `digest` and `version`; see `digestOf`. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Which of the seller's ad servers this is for. */
  ad_server_id: PortId,
  advertiser: Advertiser,
  name: z.string(),
  po_number: z.string().optional(),
  currency: Currency,
  start: AdInstant,
  end: AdInstant,
  state: AdOrderState,
  lines: z.array(AdLine).min(1),
});
export type AdOrder = z.infer<typeof AdOrder>;

/** A creative in the version that is to be uploaded. */
export const AdCreative = z.strictObject({
  organization_id: PortId,
  creative_id: PortId,
  /** Grows with each change of its content. */
  version: z.int().min(1),
  name: z.string(),
  /** An asset kind of the catalog's formats, such as `image` or `video`. */
  kind: z.string(),
  /** Pixels. */
  width: z.int().min(1).optional(),
  height: z.int().min(1).optional(),
  duration_ms: z.int().min(1).optional(),
  assets: JsonObject,
  click_url: z.string().optional(),
  advertiser: Advertiser,
  config: JsonObject,
});
export type AdCreative = z.infer<typeof AdCreative>;
