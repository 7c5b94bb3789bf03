import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { owingIndex } from '../search/owed-index.ts';

/**
 * Where the registry knows a publisher from (rule R2). `hosted` is this house's own word: its catalog, or an entry its operator made. A file
 * that is hosted here for a publisher is none: its origin names it, so that it is crawled, and is `adagents_json`.
 */
export const PublisherSource = z.enum(['hosted', 'adagents_json', 'catalog']);
export type PublisherSource = z.infer<typeof PublisherSource>;

/** Something of a publisher's that carries advertising, such as a website or an app. */
export const RegistryProperty = z.object({
  /** Optional in the file. */
  property_id: z.string().optional(),
  property_type: z.string(),
  name: z.string(),
  identifiers: z.array(z.object({ type: z.string(), value: z.string() })),
  tags: z.array(z.string()),
  /** In the protocol's words, as the file states them; absent: it does not. */
  supported_channels: z.array(z.string()).optional(),
  /** Whose it is, where a file that several share says so, by rule R1; absent: its publisher's. */
  publisher_domain: z.string().optional(),
});
export type RegistryProperty = z.infer<typeof RegistryProperty>;

/** What the registry remembers of the look at a publisher's file that counts: of those that were taken over, the one begun last. */
export const CrawlState = z.object({
  /** By the clock of the process that looked. */
  started_at: z.string(),
  /** Where the file was in the end; null where there was none. */
  source_url: z.string().nullable(),
  /** The `authoritative_location` that led there; null for a file of the publisher's own. */
  location: z.string().nullable(),
  /** What the file says of when it was last changed. */
  last_updated: z.string().nullable(),
  /** Another location that the publisher names since then, and that does not count yet. */
  pending: z.object({ location: z.string(), since: z.string() }).nullable(),
  /** When a look last read in its `ads.txt` who manages it; absent where none did, and in rows of before. */
  manager_seen_at: z.string().optional(),
  /** The first problems of the file, in our own words; absent in rows of before, and where there was no file. */
  problems: z.array(z.string()).optional(),
});
export type CrawlState = z.infer<typeof CrawlState>;

/** Names of what one crawl did something to: the first of them, and how many there were. */
const Named = z.object({ count: z.number().int(), names: z.array(z.string()) });
const ListChange = z.object({ added: Named, removed: Named, changed: Named });

/** What one crawl changed of a publisher, for the feed: bounded, whatever the file holds. */
export const PublisherChange = z.object({
  /** One more with each such crawl: a reader who sees a gap asks the registry. */
  number: z.number().int(),
  /** By URL. */
  agents: ListChange,
  /** By `property_id`, or by name where there is none. */
  properties: ListChange,
});
export type PublisherChange = z.infer<typeof PublisherChange>;

/** A list of properties that is too long for its publisher's row: where it stands, and what is asked of it most. */
const PropertyList = z.object({
  /** Of its pages (`property-page.ts`). */
  list_id: z.string(),
  pages: z.number().int(),
  count: z.number().int(),
  /** In characters of JSON; absent in rows of before. */
  length: z.number().int().optional(),
  digest: z.string(),
});
export type PropertyList = z.infer<typeof PropertyList>;

/** Hints by which its properties are found (`property-identifier.ts`). */
const IdentifierList = z.object({ list_id: z.string(), digest: z.string() });
export type IdentifierList = z.infer<typeof IdentifierList>;

/** A publisher domain that the registry knows, by its canonical form (rule R1). */
export const RegistryPublisher = z.object({
  publisher_domain: z.string(),
  source: PublisherSource,
  /** Whether the publisher itself vouches for its agents: by its own `adagents.json`, or an entry its owner made. */
  verified: z.boolean(),
  /** Empty where `property_list` says that they stand elsewhere: read them by `allPropertiesOf`. */
  properties: z.array(RegistryProperty),
  /** Of a long list; absent or null: `properties` has them all. */
  property_list: PropertyList.nullable().optional(),
  /** Null where no property has an identifier besides domains; absent: nobody has looked, so that its next crawl writes it. */
  identifier_list: IdentifierList.nullable().optional(),
  /** Who manages its inventory by its `ads.txt` (MANAGERDOMAIN), where it has no file of its own; absent in rows of 0.1.0. */
  manager_domain: z.string().nullable().optional(),
  /** Absent in rows of 0.1.0, and where nobody has looked. */
  crawl: CrawlState.optional(),
  /** Publishers that its file takes back, or took back within the last seven days, whatever else it says; first seen when. */
  revoked: z.array(z.object({ publisher_domain: z.string(), first_seen_at: z.string() })).optional(),
  /** What the last crawl that changed anything changed; absent where none did. */
  last_change: PublisherChange.optional(),
  /** As {@link seenAt} has it, for who asks it of many: kept by every change, and absent in rows of before until one. */
  seen_at: z.string().optional(),
  /** Null or absent: it is not yet found by what it says now (`search/keep-searchable.ts`). */
  indexed_as: z.string().nullable().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  revision: z.number().int(),
});
export type RegistryPublisher = z.infer<typeof RegistryPublisher>;

/** When what is told of it was last read from its file, or else last changed here. */
export function seenAt({ crawl, updated_at }: Pick<RegistryPublisher, 'crawl' | 'updated_at'>): string {
  return crawl?.started_at ?? updated_at;
}

// A crawl that changed anything has a number of its own.
const oweIndexed = owingIndex<RegistryPublisher>(({ source, verified, last_change, updated_at }) => [
  ...[source, verified, last_change?.number ?? 0],
  source === 'adagents_json' ? null : updated_at,
]);

export const publishers: CollectionSpec<RegistryPublisher> = {
  name: 'publishers',
  key: 'publisher_domain',
  schema: RegistryPublisher,
  tells: ['manager_domain'],
  indexes: [
    { name: 'source_domain', fields: ['source', 'publisher_domain'], holds: [] },
    // Who asks for many domains whether they are known, and since when, reads none of their rows.
    { name: 'known', fields: ['publisher_domain'], holds: ['source', 'seen_at'] },
    { name: 'manager', fields: ['manager_domain', 'publisher_domain'] },
    { name: 'indexed', fields: ['indexed_as'] },
  ],
  onChange: (before, after) => oweIndexed(before, { ...after, seen_at: seenAt(after) }),
};
