import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** How far this installation has been planted: read at each start, and written after each batch. */
export const SeedMark = z.object({
  name: z.string(),
  /** Of what was planted, before the agent's address is put in. */
  digest: z.string(),
  /** The agent's address that was put in. */
  base_url: z.string(),
  /** Entries that are over, organizations before publishers. */
  entries: z.int(),
  is_done: z.boolean(),
  revision: z.int(),
});
export type SeedMark = z.infer<typeof SeedMark>;

export const SeedMarks: CollectionSpec<SeedMark> = { name: 'seed_marks', key: 'name', schema: SeedMark, indexes: [] };
