import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { BlockedDomain } from './blocked-domain.ts';

/** What one entry of the list is now; one that was taken off stays, so that no later start puts it back. */
export const BlockState = z.enum(['blocked', 'unblocked']);
export type BlockState = z.infer<typeof BlockState>;

export const BlockedDomainRow = BlockedDomain.extend({
  state: BlockState,
  changed_at: z.string(),
  /** Who changed it last; null: it is as `catalog/blocked-domains.json` had it. */
  changed_by: z.string().nullable(),
  /** Why it was taken off; null: it was not. */
  unblocked_reason: z.string().nullable(),
  /** The change that made it what it is, so that a repeat of it is known; null as above. */
  change_id: z.string().nullable(),
  revision: z.int(),
});
export type BlockedDomainRow = z.infer<typeof BlockedDomainRow>;

export const BlockedDomains: CollectionSpec<BlockedDomainRow> = {
  name: 'blocked_domains',
  key: 'domain',
  schema: BlockedDomainRow,
  indexes: [{ name: 'state', fields: ['state'] }],
};
