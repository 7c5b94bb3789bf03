import { feedEvents } from '../../directory/feed/feed-event.ts';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';
import type { Store } from '../../platform/store/collection.ts';

/** The events after a place in the feed, oldest first. */
export async function eventsAfter(store: Store, sequence: number, limit: number): Promise<FeedEvent[]> {
  const { rows } = await store.collection(feedEvents).find({
    where: { sequence: { gt: sequence } },
    sort: { field: 'sequence', direction: 'asc' },
    limit,
  });
  return rows;
}
