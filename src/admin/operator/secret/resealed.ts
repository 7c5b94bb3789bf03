import { z } from 'zod';

/** How a walk over everything stored went. */
export const Resealed = z.object({
  /** Rows in which something was sealed anew. */
  rows: z.int(),
  /** Values that a former secret sealed and still does: while there are any, keep it in `PREVIOUS_SECRET_KEYS`. */
  stuck: z.int(),
  /** Rows that cannot be read, in which there may be more. */
  unread: z.int(),
});
export type Resealed = z.infer<typeof Resealed>;
