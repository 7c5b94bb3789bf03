import { z } from 'zod';
import { MAX_MINOR } from '../../platform/money.ts';
import { OfferedTargeting } from '../targeting/offered-targeting.ts';

/** RFC 3339, UTC, milliseconds. */
const Timestamp = z.iso.datetime({ precision: 3 });
const Minor = z.int().min(0).max(MAX_MINOR);
const Json = z.record(z.string(), z.unknown());

/** One line of a buy: a product at a price, with what the seller promised at the time of sale. Amounts in minor units. */
export const MediaBuyPackage = z.object({
  package_id: z.string().min(1).max(128),
  /** The buyer's own name for the package; null when none was given. */
  buyer_ref: z.string().nullable(),
  product_id: z.string(),
  product_name: z.string(),
  delivery_type: z.enum(['guaranteed', 'non_guaranteed']),
  pricing_option_id: z.string(),
  pricing_model: z.enum(['cpm', 'cpm-auction', 'flat-fee']),
  /** Per thousand impressions for `cpm`, for the whole package for `flat-fee`; null for an auction. */
  price_minor: Minor.nullable(),
  /** The least bid; null unless an auction. */
  floor_minor: Minor.nullable(),
  /** Per thousand impressions; null unless an auction. */
  bid_price_minor: Minor.nullable(),
  /** The least budget of the pricing option; null when it has none. */
  min_spend_minor: Minor.nullable(),
  budget_minor: Minor,
  /** The highest budget that ever was in force; absent while none was cut. */
  peak_budget_minor: Minor.optional(),
  /** The prices that held, oldest first, each from an instant on; absent while there was but one. */
  prices: z.array(z.object({ from: Timestamp, rate_minor: Minor })).optional(),
  /** As the buyer sent it. Read with `readStoredOverlay`: 0.1.0 kept it unchecked. */
  targeting_overlay: Json.nullable(),
  /** What the product let a buyer aim at when the targeting was checked; absent where 0.1.0 wrote it. */
  offered_targeting: OfferedTargeting.optional(),
  /** By their names, see `creativeRef`: whatever is synced later, they go on naming the same. */
  creative_ids: z.array(z.string()),
  /** Paused by itself; the buy may be active. */
  paused: z.boolean(),
  /** From when in the flight it may run, where it was added to the buy, or sold so; absent: from the start. See `lineStart`. */
  start_time: Timestamp.optional(),
  /** Until when, where it was sold for less than the rest of the flight; absent: until the end, wherever that is moved. See `lineEnd`. */
  end_time: Timestamp.optional(),
  /** What the buyer said of it besides, in a dialect of its own, where it was added; of others the buy's `asked` has it. */
  asked: Json.optional(),
});
export type MediaBuyPackage = z.infer<typeof MediaBuyPackage>;

/** From when a package may run: from the buy's start, from its own, or from when it was added. A timestamp of the flight. Pure. */
export function lineStart(buy: { start_time: string }, { start_time }: Pick<MediaBuyPackage, 'start_time'>): string {
  return start_time !== undefined && start_time > buy.start_time ? start_time : buy.start_time;
}

/** Until when a package may run: its own end, where it was sold with one, and never past the buy's. A timestamp of the flight. Pure. */
export function lineEnd(buy: { end_time: string }, { end_time }: Pick<MediaBuyPackage, 'end_time'>): string {
  return end_time !== undefined && end_time < buy.end_time ? end_time : buy.end_time;
}
