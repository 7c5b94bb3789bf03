import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** How a file came to be what it is; the file itself is not among it. */
const Save = z.object({
  /** From 1. */
  number: z.number().int(),
  etag: z.string(),
  bytes: z.number().int(),
  saved_at: z.string(),
  /** A person, or the API key that acted. */
  saved_by: z.string(),
});

/**
 * An `adagents.json` that is served here for a publisher, and counts for nobody until the publisher's own origin names it. Not to be mixed
 * up with what has the source `hosted`: that is what this house says of its own inventory.
 */
export const HostedFile = z.object({
  /** By rule R1; the organization that wrote it had proved this very domain. */
  publisher_domain: z.string(),
  organization_id: OrganizationId,
  /** Where it was served when it was saved: what the origin is to name. */
  url: z.string(),
  /** Empty once it has ended. */
  file_json: z.string(),
  /** Of the file, as it is served. */
  etag: z.string(),
  /** The last of them, the newest at the end; at most {@link MOST_SAVES}. */
  saves: z.array(Save),
  /** When a crawl first found that the origin names it, since it last did not; null where none has. */
  verified_at: z.string().nullable(),
  /** When a crawl found that it counts no longer; null while it does, and where it never did. */
  lost_at: z.string().nullable(),
  /** From then on it is not served; it goes once what it let agents sell has been taken back. */
  ended_at: z.string().nullable(),
  created_at: z.string(),
  revision: z.number().int(),
});
export type HostedFile = z.infer<typeof HostedFile>;

export const hostedFiles: CollectionSpec<HostedFile> = {
  name: 'hosted_files',
  key: 'publisher_domain',
  schema: HostedFile,
  indexes: [{ name: 'organization', fields: ['organization_id', 'ended_at'], holds: [] }],
};

/** Saves that are remembered of a file. */
export const MOST_SAVES = 20;
