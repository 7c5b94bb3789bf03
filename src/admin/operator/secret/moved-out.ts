import { z } from 'zod';

/** What a walk over everything stored came to. */
export const MovedOut = z.object({
  /** Stored rows in which something was sealed anew. */
  rows: z.int(),
  /** Whether a secret lay in the store until now. */
  was_in_store: z.boolean(),
});
export type MovedOut = z.infer<typeof MovedOut>;
