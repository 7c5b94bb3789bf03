import { z } from 'zod';
import type { CollectionSpec, Migration } from '../../platform/store/collection.ts';

/** What the registry tells changes of. */
export const FeedKind = z.enum(['organization', 'agent', 'authorization', 'badge', 'publisher', 'property']);
export type FeedKind = z.infer<typeof FeedKind>;

/** One thing that changes: its kind and key. */
export interface FeedSubject {
  kind: FeedKind;
  key: string;
}

const FeedChange = z.enum(['added', 'changed', 'removed']);

/** Every type of event: a kind and what became of it, such as `agent.added`. */
export const FEED_TYPES: readonly string[] = typesOf(FeedKind.options);

function typesOf(kinds: readonly FeedKind[]): string[] {
  return kinds.flatMap((kind) => FeedChange.options.map((change) => `${kind}.${change}`));
}

/**
 * A change of what the registry shows. Sequences have no gaps: an event is inserted under the number after the last one,
 * so whoever has seen number n has missed nothing before it, however late another writer commits.
 */
export const FeedEvent = z.object({
  /** The sequence, padded: a second event under one number breaks the key. */
  event_id: z.string(),
  sequence: z.number().int(),
  kind: FeedKind,
  subject: z.string(),
  change: FeedChange,
  /** What is shown of the subject now, as one text; null when nothing is. */
  state_json: z.string().nullable(),
  /** Kind and change, to be asked for; rows of 0.1.0 get it by a migration, as the publisher. */
  type: z.string().optional(),
  /** Whose publisher it is about; null for what is about none. */
  publisher_domain: z.string().nullable().optional(),
  /** The URL of the agent that it is about, also where nothing is shown of it any more; absent in rows of 0.1.0, and of what else. */
  agent_url: z.string().optional(),
  /** A later event of its subject has come. */
  is_overtaken: z.boolean().optional(),
  occurred_at: z.string(),
  revision: z.number().int(),
});
export type FeedEvent = z.infer<typeof FeedEvent>;

/** Of those that a publisher's events have; all others are about none. */
const PUBLISHER_TYPES = typesOf(['authorization', 'publisher', 'property']);

/** The events of one subject or publisher, of whatever type and age: every value of what stands in their index before the sequence. */
export const eventsOf = {
  subject: (subject: string) => ({ subject, is_overtaken: { in: [null, true] } }),
  publisher: (publisher_domain: string) => ({ publisher_domain, type: { in: PUBLISHER_TYPES } }),
} as const;

const toFilters: Migration = {
  to: 2,
  what: 'events say their type and publisher, to be asked for by them',
  migrate: (row) =>
    row['type'] === undefined && typeof row['kind'] === 'string' && typeof row['change'] === 'string'
      ? { ...row, type: `${row['kind']}.${row['change']}`, publisher_domain: publisherOf(String(row['subject'])) }
      : undefined,
};

export const feedEvents: CollectionSpec<FeedEvent> = {
  name: 'feed_events',
  key: 'event_id',
  schema: FeedEvent,
  version: 2,
  migrations: [toFilters],
  // A seed and a crawl write an event for each of what they change, and each index costs as much as half of its row.
  indexes: [
    { name: 'sequence', fields: ['sequence'] },
    { name: 'present', fields: ['is_overtaken', 'sequence'] },
    { name: 'type', fields: ['type', 'sequence'] },
    // In the order of sequences only with all that `eventsOf` names. Each has the name of one that it stands for, so that a start drops that.
    { name: 'subject', fields: ['subject', 'is_overtaken', 'sequence'] },
    { name: 'publisher', fields: ['publisher_domain', 'type', 'sequence'] },
  ],
};

/** That a change is under way: written before it, removed once it is told. One left behind is told by a worker. */
export const FeedIntent = z.object({
  intent_id: z.string(),
  kind: FeedKind,
  key: z.string(),
  created_at: z.string(),
  revision: z.number().int(),
});
export type FeedIntent = z.infer<typeof FeedIntent>;

export const feedIntents: CollectionSpec<FeedIntent> = {
  name: 'feed_intents',
  key: 'intent_id',
  schema: FeedIntent,
  indexes: [{ name: 'created_at', fields: ['created_at'] }],
};

export function subjectName({ kind, key }: FeedSubject): string {
  return `${kind}/${key}`;
}

/** Between quotes, as JSON writes the first of a pair; a domain has nothing that it would escape. */
const OF_PUBLISHER = /^(?:authorization\/\["([^"\\]+)",|(?:publisher|property)\/(.+)$)/;

/** The domain of the publisher that a subject is about, by its name; null for one that is about none. */
export function publisherOf(subject: string): string | null {
  const [, authorizing, itself] = OF_PUBLISHER.exec(subject) ?? [];
  return authorizing ?? itself ?? null;
}
