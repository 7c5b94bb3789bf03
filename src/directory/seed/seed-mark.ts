import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Entries that are planted together. */
export const SeedBatch = z.object({
  organization_ids: z.array(OrganizationId),
  publisher_domains: z.array(z.string()),
});
export type SeedBatch = z.infer<typeof SeedBatch>;

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
  /** What is in hand behind those; absent in rows of 0.1.0, and when all is over. */
  batch: SeedBatch.optional(),
  /** This house's own publishers that were planted, and for which address; absent before they were looked at. */
  own: z.object({ base_url: z.string(), domains: z.array(z.string()) }).optional(),
  revision: z.int(),
});
export type SeedMark = z.infer<typeof SeedMark>;

export const SeedMarks: CollectionSpec<SeedMark> = { name: 'seed_marks', key: 'name', schema: SeedMark, indexes: [] };
