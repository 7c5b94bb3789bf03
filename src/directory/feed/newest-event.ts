import type { Store } from '../../platform/store/collection.ts';
import { feedEvents } from './feed-event.ts';
import type { FeedEvent } from './feed-event.ts';

/** The last event of the feed, or of one subject in it. */
export async function newestEvent(store: Store, of: { subject?: string } = {}): Promise<FeedEvent | undefined> {
  const { rows } = await store.collection(feedEvents).find({
    where: { sequence: { gt: 0 }, ...of },
    sort: { field: 'sequence', direction: 'desc' },
    limit: 1,
  });
  return rows[0];
}
