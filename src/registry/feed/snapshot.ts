import { endOfFeed, snapshotAfter } from '../../directory/feed/read-events.ts';
import type { SnapshotPlace } from '../../directory/feed/read-events.ts';
import type { Store } from '../../platform/store/collection.ts';
import { endpoint } from '../endpoint.ts';
import { GONE } from './route.ts';
import { SnapshotPage, SnapshotQuery, jsonOfPage } from './schema.ts';

/** The present state to begin with, and where the feed goes on from it (rule C.endpoints.feed). */
export const readSnapshot = endpoint({
  id: 'readFeedSnapshot',
  method: 'get',
  path: '/api/registry/feed/snapshot',
  tag: 'Registry',
  summary: 'Read the state to follow the feed from',
  description:
    'The last event of everything that is public, oldest first, page by page. Then read the feed from `cursor`: what changed while you paged is told there. Put each event in the place of the one before of its subject.',
  access: 'public',
  effect: 'read',
  limit: 'feed',
  query: SnapshotQuery,
  responses: { 200: { description: 'A page, oldest first', schema: SnapshotPage }, 410: GONE },

  async handle({ query: { page, limit = 1000 } }, { store }) {
    const place = page === undefined ? await begin(store) : placeOf(page);
    const { events, hasMore, next } = await snapshotAfter(store, place, limit);
    return {
      json: jsonOfPage(events, {
        next_page: hasMore ? `${next.end}.${next.read_to}` : null,
        cursor: String(next.end),
      }),
      headers: { 'Cache-Control': 'no-cache' },
    };
  },
});

async function begin(store: Store): Promise<SnapshotPlace> {
  return { end: await endOfFeed(store), read_to: 0 };
}

function placeOf(page: string): SnapshotPlace {
  const [end = 0, read_to = 0] = page.split('.').map(Number);
  return { end, read_to };
}
