import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { TaskId } from '../../platform/task-id.ts';
import { FormatId, FormatType } from '../format/format.ts';
import { UNTOLD_FIELDS } from '../status-change.ts';

/** States of a creative (rule B11). Only an approved one serves. */
export const CreativeStatus = z.enum(['processing', 'pending_review', 'approved', 'suspended', 'rejected', 'archived']);
export type CreativeStatus = z.infer<typeof CreativeStatus>;

/** Why a creative was taken out of service; `brand_safety` and `fraud` cannot wait (rule C.events.6). */
export const CreativeReasonCode = z.enum([
  'policy_violation',
  'content_rejected',
  'brand_safety',
  'fraud',
  'seller_removed',
]);
export type CreativeReasonCode = z.infer<typeof CreativeReasonCode>;

/** RFC 3339, UTC, milliseconds. */
const Timestamp = z.iso.datetime({ precision: 3 });

/** One thing that happened to a creative, oldest first. */
export const CreativeEvent = z.object({
  at: Timestamp,
  /** Such as `created`, `updated`, `reviewed`, `suspended`, `archived`. */
  action: z.string(),
  /** Who did it: the buyer's sync, a person or the review at the seller, or the system by itself. */
  actor: z.enum(['buyer', 'seller', 'system']),
  /** The person at the seller who did it; absent where it was nobody in particular. Not shown to buyers. */
  by: z.string().optional(),
  from_status: CreativeStatus.nullable(),
  to_status: CreativeStatus,
  /** What a sync changed, such as `name` or `assets.image`. */
  changes: z.array(z.string()),
  /** Words for people; null when the action says it all. */
  note: z.string().nullable(),
  /** The task that did it; null for the review's and the system's own. */
  task_id: TaskId.nullable(),
});
export type CreativeEvent = z.infer<typeof CreativeEvent>;

/** A creative of a buyer's library as stored. */
export const Creative = z.object({
  /** See {@link creativeKey}: what makes `creative_id` unique per library. */
  creative_key: z.string(),
  organization_id: OrganizationId,
  /** Whose own it is, of the organization's accounts; absent where all of them share it, as all did in 0.1.0. */
  account_id: z.string().optional(),
  creative_id: z.string(),
  name: z.string(),
  format_id: FormatId,
  /** Of that the format's name alone, by which people look for it. Absent in rows of an earlier release until they are synced anew. */
  format: FormatId.shape.id.optional(),
  /** The format's type when the creative was synced; what a `format_types` filter looks at. */
  format_type: FormatType,
  /** By the format's asset keys, as sent (rule B11). */
  assets: z.record(z.string(), z.record(z.string(), z.unknown())),
  tags: z.array(z.string()),
  /** What its buyer says of it besides, in a dialect of its own, by the dialect's names: told again as it was. */
  said: JsonObject.optional(),
  status: CreativeStatus,
  /** Why it is rejected, suspended or archived, in words; null otherwise. */
  status_reason: z.string().nullable(),
  /** The same for programs. */
  reason_code: CreativeReasonCode.nullable(),
  /** Grows when the format or an asset changes, which begins a new review: a verdict holds for one version. */
  version: z.int(),
  /** When this version came in. */
  submitted_at: Timestamp,
  /** When the review is to be asked next; null while there is nothing to ask. */
  review_due_at: Timestamp.nullable(),
  /**
   * Since when the media buys that use it have not been looked at after a change of its state, or when they are to be
   * looked at again, since one could not be read; null when they have been.
   */
  effects_due_at: Timestamp.nullable(),
  /** What the seller changed of its state, and accounts that see it have not been told. */
  ...UNTOLD_FIELDS,
  /** The newest {@link MAX_EVENTS}. */
  history: z.array(CreativeEvent),
  created_at: Timestamp,
  updated_at: Timestamp,
  revision: z.int(),
});
export type Creative = z.infer<typeof Creative>;

/** How many events a creative keeps; older ones are dropped. */
export const MAX_EVENTS = 100;

export const Creatives: CollectionSpec<Creative> = {
  name: 'creatives',
  key: 'creative_key',
  schema: Creative,
  indexes: [
    { name: 'creative', fields: ['organization_id', 'creative_id', 'created_at'] },
    { name: 'account', fields: ['organization_id', 'account_id', 'created_at'] },
    { name: 'account_status', fields: ['organization_id', 'account_id', 'status', 'created_at'] },
    { name: 'organization_status', fields: ['organization_id', 'status', 'created_at'] },
    { name: 'account_updated', fields: ['organization_id', 'account_id', 'status', 'updated_at'] },
    { name: 'organization_updated', fields: ['organization_id', 'status', 'updated_at'] },
    { name: 'account_name', fields: ['organization_id', 'account_id', 'status', 'name'] },
    { name: 'organization_name', fields: ['organization_id', 'status', 'name'] },
    { name: 'status', fields: ['status', 'created_at'] },
    { name: 'format', fields: ['format', 'status', 'created_at'] },
    { name: 'review_due', fields: ['review_due_at'] },
    { name: 'effects_due', fields: ['effects_due_at'] },
    { name: 'untold', fields: ['untold_since'] },
  ],
};

/** The key of a buyer's creative by its name (`creativeRef`): organization, account, id. An organization's id has no slash. */
export function creativeKey(organization_id: OrganizationId, ref: string): string {
  return `${organization_id}/${ref}`;
}
