import { z } from 'zod';
import { AdCounts } from './line-state.ts';
import { AdInstant } from './port-values.ts';

/** Whose statement is asked for, and of which time: every bucket that begins in `[from, until)`. */
export const StatementQuery = z.strictObject({
  media_buy_ids: z.array(z.string()).min(1),
  from: AdInstant,
  until: AdInstant,
  /** Where an earlier page of the same query ended. */
  cursor: z.string().optional(),
});
export type StatementQuery = z.infer<typeof StatementQuery>;

/** What a line, or one of its creatives, has come to in one hour, as known now. Hours without anything are left out. */
export const StatementRow = z.strictObject({
  media_buy_id: z.string(),
  package_id: z.string(),
  creative_id: z.string().optional(),
  /** The bucket's first instant. */
  hour: AdInstant,
  counts: AdCounts,
  /** Minor units of the order's currency; absent where the ad server states none. */
  spend_minor: z.int().optional(),
});
export type StatementRow = z.infer<typeof StatementRow>;

/** One instant for all buys that were asked for, or one for each by `media_buy_id` where their clocks differ. */
const Instants = z.union([AdInstant, z.record(z.string(), AdInstant)]);

/** Counts by the hour as known now. A later statement may count an hour otherwise, until it is final. */
export const Statement = z.strictObject({
  /** Every bucket that ends by then has come once. */
  complete_until: Instants,
  /** Nothing before it will be restated; absent: everything may be. */
  final_until: Instants.optional(),
  rows: z.array(StatementRow),
  /** Present exactly when there is more to the same query. */
  cursor: z.string().optional(),
});
export type Statement = z.infer<typeof Statement>;
