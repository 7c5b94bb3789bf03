import { eventsAfter, eventsFromStart } from '../../directory/feed/read-events.ts';
import { addressKey } from '../../platform/client-address.ts';
import { AppError } from '../../platform/errors.ts';
import { endpoint } from '../endpoint.ts';
import {
  Cursor,
  CursorExpired,
  FeedEventView,
  FeedPage,
  FeedQuery,
  StreamQuery,
  jsonOfPage,
  jsonOfPublicEvent,
} from './schema.ts';
import { wholePage } from './kept-pages.ts';
import { unfoldedPage } from './public-page.ts';
import { eventStream } from './stream.ts';

/** What an answer is where a place in the feed can no longer be gone on from. */
export const GONE = {
  description:
    'Events after the cursor are no longer kept, or the feed has not come so far: begin anew by the snapshot',
  schema: CursorExpired,
};

/** What changed in the registry, in order (rules C.endpoints.feed, R16.feed). */
export const readFeed = endpoint({
  id: 'readFeed',
  method: 'get',
  path: '/api/registry/feed',
  tag: 'Registry',
  summary: 'Read what changed',
  description:
    'Organizations, agents, authorizations, publishers, their properties and badges, in the order they changed. Keep the cursor and ask again: no event is ever skipped. Only what is public is told. Begin by the snapshot.',
  access: 'public',
  effect: 'read',
  limit: 'feed',
  query: FeedQuery,
  responses: { 200: { description: 'A page, oldest first', schema: FeedPage }, 410: GONE },

  async handle({ query: { cursor: place, limit = 100, types, publisher: publisher_domain } }, call) {
    const headers = { 'Cache-Control': 'no-cache', Vary: 'Authorization, Accept-Encoding' };
    const filter = { types, publisher_domain };
    // Clients of the public protocol send a credential, whatever it is good for, and keep authorizations one by one.
    if (call.header('authorization') !== undefined)
      return { json: await unfoldedPage(call, place, { limit, filter }), headers };
    const { store } = call;
    if (typeof place === 'object') {
      const { events, hasMore, placeAt, cursor } = await eventsFromStart(store, place, limit, filter);
      return { json: jsonOfPage(events, { has_more: hasMore, cursor: placeAt(cursor) }, jsonOfPublicEvent), headers };
    }
    const isKept = place !== undefined && types === undefined && publisher_domain === undefined;
    const kept = isKept ? await call.keptPages.find(place, limit) : undefined;
    if (kept !== undefined) return { gzipped: kept, headers };
    const read = await eventsAfter(store, place, limit, filter);
    const events = isKept && read.hasMore ? wholePage(read.events, place, limit) : read.events;
    const last = events.at(-1);
    const cursor = isKept && read.hasMore ? (last?.sequence ?? read.cursor) : read.cursor;
    const json = jsonOfPage(events, { has_more: read.hasMore, cursor: String(cursor) }, jsonOfPublicEvent);
    if (isKept && read.hasMore && last !== undefined) call.keptPages.made(place, limit, { bytes: json, last });
    return { json, headers };
  },
});

/** The same as server-sent events, as they happen. */
export const streamFeed = endpoint({
  id: 'streamFeed',
  method: 'get',
  path: '/api/registry/feed/stream',
  tag: 'Registry',
  summary: 'Be told what changes, as it happens',
  description:
    'Server-sent events whose ids are cursors: a client that reconnects with Last-Event-ID goes on where it was.',
  access: 'public',
  effect: 'read',
  limit: 'feed_stream',
  query: StreamQuery,
  responses: {
    200: { description: 'Events without end', contentType: 'text/event-stream', schema: FeedEventView },
    410: GONE,
  },

  async handle({ query: { cursor, types, publisher: publisher_domain } }, call) {
    const filter = { types, publisher_domain };
    const place = lastEventId(call.header('last-event-id')) ?? cursor;
    const places = [await call.budgets.hold('feed_streams', addressKey(call.address))];
    const letGo = () => {
      for (const held of places) held.letGo();
    };
    try {
      places.push(await call.budgets.hold('all_feed_streams', ''));
      // Said by the answer's status, while there is one to be chosen.
      await eventsAfter(call.store, place, 1, filter);
    } catch (error) {
      letGo();
      throw error;
    }
    return {
      async *stream(signal) {
        try {
          yield* eventStream(call, place, filter, signal);
        } finally {
          letGo();
        }
      },
      headers: { 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' },
    };
  },
});

/** @throws {AppError} for one that no event of the feed had: to begin anew in silence would be to skip. */
function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const parsed = Cursor.safeParse(header);
  if (parsed.success) return parsed.data;
  throw new AppError('VALIDATION_ERROR', 'Last-Event-ID: send the id of an event of the feed, or none', {
    field: 'Last-Event-ID',
  });
}
