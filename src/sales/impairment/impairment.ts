import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { PropertyStatus } from '../property/outage.ts';
import { CreativeReasonCode, CreativeStatus } from '../creative/creative.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

/** How long news of an impairment may wait (rule C.events.6): `latency_sensitive` not at all. */
export const LatencyClass = z.enum(['general', 'latency_sensitive']);
export type LatencyClass = z.infer<typeof LatencyClass>;

export const ImpairmentReason = z.enum([
  ...CreativeReasonCode.options,
  'archived',
  'property_unavailable',
  'no_creatives',
  /** A person has paused or ended a line at the ad server. */
  'stopped_by_seller',
]);
export type ImpairmentReason = z.infer<typeof ImpairmentReason>;

/** What a media buy cannot do without. A `package` is one of its own that has no creative left, or was stopped. */
export const ResourceType = z.enum(['creative', 'property', 'package']);
export type ResourceType = z.infer<typeof ResourceType>;

/** Whether a package has a creative, and how its line stands at the ad server. */
const PackageStatus = z.enum(['assigned', 'unassigned', 'running', 'paused', 'ended']);

const ResourceStatus = z.enum([...CreativeStatus.options, ...PropertyStatus.options, ...PackageStatus.options]);

const Timestamp = z.iso.datetime({ precision: 3 });

/**
 * Something that keeps packages of a live media buy from serving. State-shaped: one row for as long as it lasts, told
 * under one `notification_id`, which is its `impairment_id` (rule C.events.4).
 */
export const Impairment = z.object({
  impairment_id: z.string(),
  organization_id: OrganizationId,
  media_buy_id: MediaBuyId,
  resource_type: ResourceType,
  /** Of a creative its name, see `creativeRef`. */
  resource_id: z.string(),
  /** The packages that cannot serve because of it. */
  package_ids: z.array(z.string()).min(1),
  /** How the resource came to be out of service. */
  transition: z.object({ from: ResourceStatus.nullable(), to: ResourceStatus }),
  reason_code: ImpairmentReason,
  /** Words for people; null when there are none. */
  reason: z.string().nullable(),
  latency_class: LatencyClass,
  /** False once it is cleared. At most one is open for a resource of a buy. */
  open: z.boolean(),
  raised_at: Timestamp,
  cleared_at: Timestamp.nullable(),
  /** Since when the newest state has not been told to the buyer; null when it has. */
  untold_since: Timestamp.nullable(),
  /** The `timestamp` of the newest telling: the next one's is later, whatever the clocks say. Absent until there is one. */
  told_at: Timestamp.optional(),
  revision: z.int(),
});
export type Impairment = z.infer<typeof Impairment>;

export const Impairments: CollectionSpec<Impairment> = {
  name: 'impairments',
  key: 'impairment_id',
  schema: Impairment,
  indexes: [
    { name: 'open_resource', fields: ['media_buy_id', 'resource_id'], unique: true, where: { open: true } },
    { name: 'media_buy', fields: ['media_buy_id', 'resource_id'] },
    { name: 'open', fields: ['open', 'raised_at'] },
    { name: 'untold', fields: ['untold_since'] },
  ],
};
