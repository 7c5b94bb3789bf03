import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { FrequencyCap } from '../../sales/targeting/frequency-cap.ts';
import { LineTargeting } from '../../sales/targeting/line-targeting.ts';
import { Pacing } from '../../sales/ad-server/ad-order.ts';
import { SIMULATED_TROUBLE } from './simulated-trouble.ts';

const Count = z.int().min(0);

/** A line as it was told to the simulated ad server. */
export const SimulatedLine = z.strictObject({
  package_id: z.string(),
  /** What chance is drawn by, so that the same campaign delivers the same whatever ids it has. */
  seed: z.string(),
  budget_minor: Count,
  rate_minor: Count,
  pricing_model: z.enum(['cpm', 'cpm-auction', 'flat-fee']),
  /** Not paused, and with a creative that may be shown. */
  is_serving: z.boolean(),
  /** Whom it may reach and how often: kept to be read back, and without effect on what is delivered. Absent in older rows. */
  targeting: LineTargeting.optional(),
  frequency_cap: FrequencyCap.optional(),
  /** Within the flight; absent: the whole of it. */
  start_time: z.string().optional(),
  end_time: z.string().optional(),
  /** Absent: `even`. */
  pacing: Pacing.optional(),
  /** Of each day of UTC; absent: none. */
  daily_cap_minor: Count.optional(),
});
export type SimulatedLine = z.infer<typeof SimulatedLine>;

/** What held from an instant of the flight on. */
export const Instruction = z.strictObject({
  at: z.string(),
  /** The order's. */
  revision: z.int(),
  state: z.enum(['held', 'running', 'paused', 'ended']),
  start_time: z.string(),
  end_time: z.string(),
  lines: z.array(SimulatedLine),
});
export type Instruction = z.infer<typeof Instruction>;

/** What a line has come to by an instant. */
export const LineTally = z.strictObject({
  package_id: z.string(),
  impressions: Count,
  spend_minor: Count,
  clicks: Count,
  /** The price that holds, what was spent before it did, and the impressions since. */
  rate_minor: Count,
  base_minor: Count,
  rated_impressions: Count,
  /** The last noon hour at this price, which may yet be corrected. */
  noon: z.strictObject({ hour: z.string(), impressions: Count, spend_minor: Count, clicks: Count }).nullable(),
  /** What the last day of a line with a daily cap has come to; absent for others. `at`: the day's first instant. */
  day: z.strictObject({ at: z.string(), spend_minor: Count }).optional(),
});
export type LineTally = z.infer<typeof LineTally>;

/** An order as the simulated ad server keeps it: what it was told, and how far its past is settled. */
export const SimulatedOrder = z.strictObject({
  media_buy_id: MediaBuyId,
  revision: z.int(),
  order_id: z.string(),
  created_at: z.string(),
  /** What it is told to do wrong; see {@link SIMULATED_TROUBLE}. */
  trouble: z.array(z.enum(SIMULATED_TROUBLE)),
  /** How often it has failed as it was told to. */
  failures: z.int(),
  /** Oldest first; those that ended before the checkpoint are dropped. */
  instructions: z.array(Instruction),
  /** The tallies at an instant up to which the caller has recorded everything. */
  settled_at: z.string(),
  settled: z.array(LineTally),
  /** How far reports have reached: what comes before it can be told no more. */
  reported_until: z.string(),
  released_at: z.string().nullable(),
});
export type SimulatedOrder = z.infer<typeof SimulatedOrder>;

export const SimulatedOrders: CollectionSpec<SimulatedOrder> = {
  name: 'simulated_ad_orders',
  key: 'media_buy_id',
  schema: SimulatedOrder,
  indexes: [],
};
