import { z } from 'zod';

/** How sealing everything stored anew went. */
export const Resealed = z.object({
  /** Whether the secret of 0.1.0 lay in the store until now. */
  was_in_store: z.boolean(),
  /** Rows in which something was sealed anew. */
  rows: z.int(),
  /** Values that a former secret sealed and still does: while there are any, keep it in `PREVIOUS_SECRET_KEYS`. */
  stuck: z.int(),
  /** Rows that cannot be read, in which there may be more. */
  unread: z.int(),
});
export type Resealed = z.infer<typeof Resealed>;
