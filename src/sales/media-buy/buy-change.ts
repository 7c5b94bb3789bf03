import { z } from 'zod';
import { MAX_MINOR } from '../../platform/money.ts';
import { MediaBuyPackage } from './media-buy-package.ts';
import { OfferedTargeting } from '../targeting/offered-targeting.ts';

const Timestamp = z.iso.datetime({ precision: 3 });
const Minor = z.int().min(0).max(MAX_MINOR);

/** What of one package changes; what is absent stays. Amounts in minor units. */
export const PackageChange = z.object({
  package_id: z.string(),
  budget_minor: Minor.optional(),
  bid_price_minor: Minor.nullable().optional(),
  targeting_overlay: z.record(z.string(), z.unknown()).nullable().optional(),
  offered_targeting: OfferedTargeting.optional(),
  /** By their names, as a package's. */
  creative_ids: z.array(z.string()).optional(),
  paused: z.boolean().optional(),
});
export type PackageChange = z.infer<typeof PackageChange>;

/**
 * What a buyer's update makes of a buy, worked out to the last amount: an addition is the sum by then. Only what it changes,
 * so that it can take hold of the buy as that stands when the ad server has said so.
 */
export const BuyChange = z.object({
  status: z.enum(['active', 'paused', 'canceled']).optional(),
  /** In place of a status: it was paused while it waits, and goes on waiting. */
  resumes: z.literal(true).optional(),
  start_time: Timestamp.optional(),
  end_time: Timestamp.optional(),
  name: z.string().optional(),
  packages: z.array(PackageChange),
  /** Packages that the buy has not yet, whole; absent where there are none. */
  new_packages: z.array(MediaBuyPackage).optional(),
  /** The packages that the update concerns, for its answer. */
  affected_packages: z.array(z.string()),
  /** What changes, by name, for the history. */
  changes: z.array(z.string()),
  /** Why, of a cancellation, for the history. */
  reason: z.string().optional(),
});
export type BuyChange = z.infer<typeof BuyChange>;
