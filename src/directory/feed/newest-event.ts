import type { Store } from '../../platform/store/collection.ts';
import { feedEvents } from './feed-event.ts';
import type { FeedEvent } from './feed-event.ts';

/** The last event of the feed, or of one subject in it: the newest is never marked as overtaken. */
export async function newestEvent(
  store: Store,
  { subject }: { subject?: string } = {},
): Promise<FeedEvent | undefined> {
  const { rows } = await store.collection(feedEvents).find({
    where: { sequence: { gt: 0 }, ...(subject !== undefined && { subject, is_overtaken: null }) },
    sort: { field: 'sequence', direction: 'desc' },
    limit: 1,
  });
  return rows[0];
}
