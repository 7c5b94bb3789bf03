import { z } from 'zod';
import { AdInstant } from './port-values.ts';

/** What was counted. Every count is of the whole time it is given for. */
export const AdCounts = z.strictObject({
  impressions: z.int(),
  clicks: z.int(),
  completions: z.int().optional(),
  viewable: z.int().optional(),
});
export type AdCounts = z.infer<typeof AdCounts>;

/** How a line stands at the ad server. */
export const LineState = z.strictObject({
  package_id: z.string(),
  state: z.enum(['draft', 'ready', 'delivering', 'paused', 'completed', 'ended', 'refused']),
  /** A person at the ad server has brought it into this state. */
  by_hand: z.boolean(),
  /** What it lacks to deliver. */
  missing: z.array(z.enum(['creatives', 'approval', 'inventory'])),
  /** Since the line began. */
  counts: AdCounts.optional(),
  as_of: AdInstant,
});
export type LineState = z.infer<typeof LineState>;
