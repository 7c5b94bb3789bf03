import type { CollectionSpec, Migration } from '../../platform/store/collection.ts';
import { MediaBuy } from './media-buy.ts';
import { withRevision } from './revision.ts';

/**
 * In 0.1.0 `revision` counted the writes, too. That release knows of no versions and works beside no later one, so this
 * form needs no release that reads both (`docs/decisions/0017-stored-rows-may-grow.md`).
 */
const toRowVersion: Migration = {
  to: 2,
  what: 'media buys count their writes apart from the buyer’s revision',
  migrate: (row) => (row['row_version'] === undefined ? { ...row, row_version: row['revision'] } : undefined),
};

export const MediaBuys: CollectionSpec<MediaBuy> = {
  name: 'media_buys',
  key: 'media_buy_id',
  schema: MediaBuy,
  counter: 'row_version',
  onChange: withRevision,
  version: 2,
  migrations: [toRowVersion],
  indexes: [
    { name: 'open_buyer_ref', fields: ['organization_id', 'buyer_ref'], unique: true, where: { open: true } },
    { name: 'task', fields: ['task_id'], unique: true },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
    { name: 'organization_buyer_ref', fields: ['organization_id', 'buyer_ref', 'created_at'] },
    { name: 'organization_status', fields: ['organization_id', 'status', 'created_at'] },
    { name: 'account_status', fields: ['organization_id', 'account_id', 'status', 'created_at'] },
    { name: 'account', fields: ['organization_id', 'account_id', 'created_at'] },
    { name: 'made', fields: ['created_at'] },
    { name: 'changed', fields: ['updated_at'] },
    { name: 'buyer_ref', fields: ['buyer_ref', 'created_at'] },
    { name: 'po_number', fields: ['po_number', 'created_at'] },
    { name: 'status', fields: ['status', 'created_at'] },
    { name: 'starts', fields: ['status', 'start_time'] },
    { name: 'flight_due', fields: ['flight_due_at'] },
    { name: 'reporting_due', fields: ['reporting_due_at'] },
    { name: 'order_due', fields: ['order_due_at'] },
    { name: 'order_urgency_due', fields: ['order_urgency', 'order_due_at'] },
  ],
};
