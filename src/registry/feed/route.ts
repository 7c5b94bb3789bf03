import { z } from 'zod';
import { addressKey } from '../../platform/client-address.ts';
import { endpoint } from '../endpoint.ts';
import { eventsAfter } from './events-after.ts';
import { Cursor, FeedPage, FeedQuery, viewOfEvent } from './schema.ts';
import { eventStream } from './stream.ts';

/** What changed in the registry, in order (rule C.endpoints.feed). */
export const readFeed = endpoint({
  id: 'readFeed',
  method: 'get',
  path: '/api/registry/feed',
  tag: 'Registry',
  summary: 'Read what changed',
  description:
    'Organizations, agents, authorizations and badges, in the order they changed. Keep the cursor and ask again: no event is ever skipped. Only what is public is told.',
  access: 'public',
  effect: 'read',
  limit: 'feed',
  query: FeedQuery,
  responses: { 200: { description: 'A page, oldest first', schema: FeedPage } },

  async handle({ query: { cursor = 0, limit = 100 } }, { store }) {
    const rows = await eventsAfter(store, cursor, Math.min(limit + 1, 1000));
    const shown = rows.slice(0, limit);
    return {
      body: {
        events: shown.map(viewOfEvent),
        has_more: rows.length > shown.length || (limit === 1000 && rows.length === 1000),
        cursor: String(shown.at(-1)?.sequence ?? cursor),
      },
      headers: { 'Cache-Control': 'no-cache' },
    };
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
  query: z.object({ cursor: Cursor.optional().describe('As for the feed; Last-Event-ID goes before it') }),
  responses: { 200: { description: 'Events without end', contentType: 'text/event-stream' } },

  async handle({ query }, call) {
    const last = Cursor.safeParse(call.header('last-event-id'));
    const from = last.data ?? query.cursor ?? 0;
    const places = [await call.budgets.hold('feed_streams', addressKey(call.address))];
    const letGo = () => {
      for (const place of places) place.letGo();
    };
    try {
      places.push(await call.budgets.hold('all_feed_streams', ''));
    } catch (error) {
      letGo();
      throw error;
    }
    return {
      async *stream(signal) {
        try {
          yield* eventStream(call, from, signal);
        } finally {
          letGo();
        }
      },
      headers: { 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' },
    };
  },
});
