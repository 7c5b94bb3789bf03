import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** What the registry tells changes of. */
export const FeedKind = z.enum(['organization', 'agent', 'authorization', 'badge']);
export type FeedKind = z.infer<typeof FeedKind>;

/** One thing that changes: its kind and key. */
export interface FeedSubject {
  kind: FeedKind;
  key: string;
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
  change: z.enum(['added', 'changed', 'removed']),
  /** What is shown of the subject now, as one text; null when nothing is. */
  state_json: z.string().nullable(),
  occurred_at: z.string(),
  revision: z.number().int(),
});
export type FeedEvent = z.infer<typeof FeedEvent>;

export const feedEvents: CollectionSpec<FeedEvent> = {
  name: 'feed_events',
  key: 'event_id',
  schema: FeedEvent,
  indexes: [
    { name: 'sequence', fields: ['sequence'] },
    { name: 'subject', fields: ['subject', 'sequence'] },
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
