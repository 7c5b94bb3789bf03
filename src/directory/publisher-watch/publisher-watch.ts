import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { PublisherStanding } from './publisher-standing.ts';

/** What a publisher's owner can be told of. */
export const PUBLISHER_EVENTS = [
  ...(['authorization.added', 'authorization.changed', 'authorization.removed'] as const),
  ...(['authorization.began', 'authorization.ended', 'crawl.failing', 'crawl.recovered'] as const),
] as const;
export const PublisherEventName = z.enum(PUBLISHER_EVENTS);
export type PublisherEventName = z.infer<typeof PublisherEventName>;

/** Something that was decided to be told, under an id that stays, and is not on its way yet. */
const OwedNews = z.object({
  /** Its place among all that the registration was told, from 1. */
  sequence: z.int(),
  event: PublisherEventName,
  idempotency_key: z.string(),
  decided_at: z.string(),
  result: JsonObject,
});
export type OwedNews = z.infer<typeof OwedNews>;

/**
 * Where an owner of a publisher's domain is told what changes in who may sell for it (rule R15.told). What it was told last stands
 * beside what it is still owed, in one row: so what is to be told can always be worked out from the registry as it is.
 */
export const PublisherWatch = z.object({
  registration_id: z.string(),
  organization_id: OrganizationId,
  publisher_domain: z.string(),
  /** As `storedUrl` has it. */
  url: z.string(),
  operation_id: z.string().optional(),
  /** With credentials sealed for the URL. */
  authentication: z.object({ schemes: z.array(z.string()), credentials: z.string().optional() }).optional(),
  /** Those wanted; absent: all. */
  events: z.array(PublisherEventName).optional(),
  /** Whose file speaks for the publisher, when last looked; null for its own. */
  manager_domain: z.string().nullable(),
  /** The next look: at once where something changed, at the next date of an entry, or for safety's sake. */
  look_at: z.string(),
  told: PublisherStanding,
  /** The last one decided. */
  sequence: z.int(),
  owed: z.array(OwedNews),
  /** By the user's id. */
  created_by: z.string(),
  created_at: z.string(),
  /** Nothing more goes there; the row stays until what was on its way has ended, too. */
  ended_at: z.string().optional(),
  revision: z.int(),
});
export type PublisherWatch = z.infer<typeof PublisherWatch>;

export const publisherWatches: CollectionSpec<PublisherWatch> = {
  name: 'publisher_watches',
  key: 'registration_id',
  schema: PublisherWatch,
  indexes: [
    { name: 'look_at', fields: ['look_at'] },
    { name: 'publisher', fields: ['publisher_domain', 'look_at'] },
    { name: 'manager', fields: ['manager_domain', 'look_at'] },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
  ],
};
