import { z } from 'zod';

const Count = z.int().min(0);

/** What an hour of a package is to be in the facts. */
export const HourChange = z.strictObject({
  package_id: z.string(),
  /** The hour's first instant, a timestamp. */
  hour: z.string(),
  impressions: Count,
  spend_minor: Count,
  clicks: Count,
  /** Absent where the ad server counts neither. */
  viewable: Count.optional(),
  completions: Count.optional(),
  /** Present when it takes the place of an earlier count; the same for the same correction, however often it is made. */
  correction_id: z.string().optional(),
});
export type HourChange = z.infer<typeof HourChange>;
