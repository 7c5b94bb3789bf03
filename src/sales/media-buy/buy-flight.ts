import { z } from 'zod';

/** What a buy's row says about its flight, as it is counted; see `Flight`. */
export const BuyFlight = z.object({
  recorded_until: z.string(),
  asked_at: z.string().optional(),
  is_delayed: z.boolean(),
  /** How often it was written, of all writes of the row. */
  revision: z.int(),
});
export type BuyFlight = z.infer<typeof BuyFlight>;
