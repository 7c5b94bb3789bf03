import { z } from 'zod';
import { FeedKind } from '../../directory/feed/feed-event.ts';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';

/** A place in the feed: the number of the last event seen; 0 is the beginning. */
export const Cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'send a cursor that the feed gave')
  .transform(Number);

export const FeedQuery = z.object({
  cursor: Cursor.optional().describe('Where an earlier answer ended; without it, the beginning'),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'send a whole number from 1 to 1000')
    .transform(Number)
    .refine((n) => n >= 1 && n <= 1000, 'send a whole number from 1 to 1000')
    .optional()
    .describe('Events at most, 1–1000; default 100'),
});

export const FeedEventView = z.object({
  id: z.string().describe('Also the cursor after this event'),
  type: z.string().describe('Kind and change, such as agent.added, badge.removed'),
  kind: FeedKind,
  change: z.enum(['added', 'changed', 'removed']),
  subject: z.string(),
  occurred_at: z.string(),
  state: z.record(z.string(), z.unknown()).nullable().describe('What the registry shows now; null when nothing'),
});

export const FeedPage = z.object({
  events: z.array(FeedEventView),
  has_more: z.boolean(),
  cursor: z.string().describe('Ask again with it, now or later: no event is ever skipped'),
});

export function viewOfEvent(event: FeedEvent): z.infer<typeof FeedEventView> {
  const { sequence, kind, change, subject, occurred_at, state_json } = event;
  const state = state_json === null ? null : (JSON.parse(state_json) as Record<string, unknown>);
  return { id: String(sequence), type: `${kind}.${change}`, kind, change, subject, occurred_at, state };
}
