import { z } from 'zod';
import { AdagentsValidation } from '../adagents-validate/schema.ts';
import { DomainParam } from '../domain-query.ts';

export const HostedParams = z.object({ domain: DomainParam });

const time = z.string().nullable();

export const HOSTED_STATUSES = ['unverified', 'verified', 'lost'] as const;

/** What the last look at the publisher's own origin found. */
export const ORIGIN_FINDINGS = [
  'not_looked',
  'this_file',
  'this_file_too_new',
  'another_location',
  'own_file',
  'nothing',
  'unreadable',
] as const;

/** A hosted file as its owners see it. */
export const HostedView = z.object({
  publisher_domain: z.string(),
  organization_id: z.string(),
  url: z.string().describe('Where the file is served to anybody; not for buyers to read, but for the origin to name'),
  etag: z.string().describe('Of the file; send it as If-Match with the next change'),
  revision_number: z.int().min(1),
  saved_at: z.string(),
  status: z
    .enum(HOSTED_STATUSES)
    .describe(
      'unverified: the origin does not name it, so it lets nobody sell anything. verified: the origin does. lost: it did',
    ),
  counts: z.boolean().describe('Whether its entries count now'),
  counts_until: time.describe(
    'Where the origin no longer names it or cannot be read: when that ends, unless it does again',
  ),
  verified_at: time.describe('Since when a look has found that the origin names it'),
  confirmed_at: time.describe('When the last look did'),
  lost_at: time.describe('When it stopped to count'),
  read_since_saved: z.boolean().describe('Whether what counts is this revision, not one before'),
  origin: z.object({
    url: z.string(),
    looked_at: time,
    found: z
      .enum(ORIGIN_FINDINGS)
      .describe(
        'this_file_too_new: it names this one instead of another, which counts once that has stood for 24 hours. nothing: there is no file, or none at the other place that it names',
      ),
    location: z.string().nullable().describe('The other place that it names'),
    error: z.string().nullable(),
    next_look_at: time,
  }),
  place: z
    .object({ url: z.string(), file: z.object({ authoritative_location: z.string() }) })
    .describe('What to serve at the origin, and where'),
  revisions: z
    .array(z.object({ number: z.int(), etag: z.string(), bytes: z.int(), saved_at: z.string(), saved_by: z.string() }))
    .describe('The last 20 saves, the newest first; files of before are not kept'),
});
export type HostedView = z.infer<typeof HostedView>;

/** With the file itself. */
export const HostedRead = HostedView.extend({ file: z.looseObject({}) });

const look = z
  .object({ done: z.boolean(), error: z.string().nullable() })
  .describe('The look at the origin that came with it, and why it was not made or found nothing');

export const HostedSaved = HostedView.extend({
  validation: AdagentsValidation.shape.data.shape.validation.unwrap(),
  look,
});

export const HostedLooked = HostedView.extend({ look });

/** Another file is there than the one that If-Match names. */
export const HostedStale = z.object({
  error: z.string(),
  field: z.literal('If-Match'),
  suggestion: z.string(),
  etag: z.string().nullable().describe('Of the file that is there; null: there is none'),
});

/** A file as it is served. */
export const ServedFile = z.looseObject({ authorized_agents: z.array(z.looseObject({})) });

/** What the public registry's client sends; members of adagents.json that it does not know are kept. */
export const SaveProperty = z.looseObject({
  publisher_domain: DomainParam,
  authorized_agents: z.array(z.looseObject({ url: z.string().max(2000) })).max(1000),
  properties: z
    .array(z.looseObject({ name: z.string().max(400) }))
    .max(1000)
    .optional()
    .describe('`type` or `property_type`, `name`; a website without `identifiers` is that of the domain'),
  contact: z.looseObject({ name: z.string().max(300).optional(), email: z.string().max(300).optional() }).optional(),
});
export type SaveProperty = z.infer<typeof SaveProperty>;

export const PropertySaved = z.object({
  success: z.literal(true),
  message: z.string(),
  id: z.string().describe('The domain'),
  revision_number: z.int().min(1),
});
