import { z } from 'zod';
import { createTextBuffer, jsonOfText } from '../../platform/text-buffer.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { FeedKind } from '../../directory/feed/feed-event.ts';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';
import { wholeNumberParam } from '../whole-number-param.ts';
import { PublicEvent, publicMembersJson } from './public-event.ts';
import { Types } from './types-filter.ts';

/** A place in the feed: the number of the last event seen. */
export const Cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'send a cursor that the feed gave')
  .transform(Number);

const Publisher = z
  .string()
  .max(300)
  .transform((name, context) => {
    const domain = normalizeDomain(name)?.domain;
    if (domain === undefined) context.addIssue({ code: 'custom', message: 'this is not a domain name' });
    return domain ?? z.NEVER;
  })
  .optional()
  .describe('Only events about the publisher of this domain: itself, its properties and whom it authorizes');

const limit = wholeNumberParam(1, 1000).optional();

/** Also a place between what is left of forgotten events; such are given to who begins with a credential. */
const Place = z
  .string()
  .regex(/^\d{1,15}(?:\.\d{1,15})?$/, 'send a cursor that the feed gave')
  .transform((text) => {
    const [first = 0, read_to] = text.split('.').map(Number);
    return read_to === undefined ? first : { end: first, read_to };
  })
  .refine((place) => typeof place === 'number' || place.read_to <= place.end, 'send a cursor that the feed gave');

export const FeedQuery = z.strictObject({
  cursor: Place.optional().describe(
    'Where an earlier answer ended; without it, the oldest event that is kept, or, with a credential, all that folds to the present state',
  ),
  limit: limit.describe('Events at most; default 100'),
  types: Types,
  publisher: Publisher,
});

/** Clients of server-sent events add parameters of their own. */
export const StreamQuery = z.object({
  cursor: Cursor.optional().describe('As for the feed; Last-Event-ID goes before it'),
  types: Types,
  publisher: Publisher,
});

export const SnapshotQuery = z.strictObject({
  page: z
    .string()
    .regex(/^\d{1,15}\.\d{1,15}$/, 'send the next_page of the page before')
    .optional()
    .describe('The `next_page` of the page before; without it, a snapshot is begun'),
  limit: limit.describe('Entries at most; default 1000'),
});

export const FeedEventView = z.object({
  id: z.string().describe('Also the cursor after this event'),
  type: z.string().describe('Kind and change, such as agent.added, badge.removed'),
  kind: FeedKind,
  change: z.enum(['added', 'changed', 'removed']),
  subject: z.string().describe('What it is about; the same in each of its events'),
  publisher: z.string().nullable().describe('The publisher it is about; null for what is about none'),
  occurred_at: z.string(),
  state: z.record(z.string(), z.unknown()).nullable().describe('What the registry shows now; null when nothing'),
});

export const FeedPage = z.object({
  events: z.array(FeedEventView.extend(PublicEvent.shape)),
  has_more: z.boolean(),
  cursor: z
    .string()
    .describe('Ask again with it, now or later: no event is ever skipped; 410 when some are no longer kept'),
  cursor_expired: z
    .literal(true)
    .optional()
    .describe(
      'With a credential, instead of 410, for clients of the public protocol: forget all you hold, and begin anew by `cursor`',
    ),
});

export const SnapshotPage = z.object({
  events: z
    .array(FeedEventView)
    .describe('The last event of each subject. Where one comes twice, the later holds; a state of null: it is gone'),
  next_page: z.string().nullable().describe('Null on the last page'),
  cursor: z.string().describe('The same on each page: after the last page, read the feed from here on'),
});

/** What is answered where a place in the feed cannot be gone on from any more. */
export const CursorExpired = z.object({
  error: z.string(),
  field: z.enum(['cursor', 'page']).describe('What names the place'),
  suggestion: z.string(),
  code: z.literal('CURSOR_EXPIRED'),
  snapshot: z.string().describe('Where to begin anew'),
  oldest_cursor: z.string().describe('The oldest place that can be gone on from'),
  request_id: z.string().optional(),
});

/** One event as JSON. Its state is sent as it is stored. */
export function jsonOfEvent(event: FeedEvent): string {
  return `{${membersOf(event)}}`;
}

/** Without the braces, so that others can stand beside them. Nothing made here is cut again: V8 would copy it first. */
function membersOf(event: FeedEvent): string {
  const { sequence, kind, change, subject, publisher_domain, occurred_at, state_json } = event;
  const publisher = publisher_domain == null ? 'null' : jsonOfText(publisher_domain);
  // Piece by piece, since pages are long: kinds and changes are closed lists of plain words.
  const type = `"id":"${sequence}","type":"${kind}.${change}","kind":"${kind}","change":"${change}"`;
  const about = `"subject":${jsonOfText(subject)},"publisher":${publisher},"occurred_at":${jsonOfText(occurred_at)}`;
  return `${type},${about},"state":${state_json ?? 'null'}`;
}

/** The same with the public protocol's members beside our own. */
export function jsonOfPublicEvent(event: FeedEvent): string {
  return `{${membersOf(event)},${publicMembersJson(event)}}`;
}

/** Events, and what stands beside them, as JSON. */
export function jsonOfPage(
  events: readonly FeedEvent[],
  beside: Record<string, unknown>,
  jsonOf: (event: FeedEvent) => string = jsonOfEvent,
): Buffer {
  // Each as bytes once it is made: one text of them all would be made of a thousand, and then be copied to become bytes.
  const page = createTextBuffer();
  page.add('{"events":[');
  let between = '';
  for (const event of events) {
    page.add(between + jsonOf(event));
    between = ',';
  }
  page.add(`],${JSON.stringify(beside).slice(1)}`);
  return page.bytes();
}
