import { eventsOf, feedEvents, subjectName } from '../../directory/feed/feed-event.ts';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';
import { publisherSubject } from '../../directory/feed/public-state.ts';
import { PublisherChange } from '../../directory/publisher/publisher.ts';
import type { Page, Store } from '../../platform/store/collection.ts';

/** What a publisher's events of the feed say, newest first, as long as the feed keeps them. */
export function eventsOfPublisher(
  store: Store,
  publisher_domain: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<Page<FeedEvent>> {
  return store.collection(feedEvents).find({
    where: eventsOf.publisher(publisher_domain),
    sort: { field: 'sequence', direction: 'desc' },
    limit,
    ...(after !== undefined && { after }),
  });
}

/** Those of the publisher itself alone, and how many of them there are, counted no further than to `most`. */
export async function revisionsOf(
  store: Store,
  publisher_domain: string,
  { limit, most }: { limit: number; most: number },
): Promise<{ rows: FeedEvent[]; total: number }> {
  const events = store.collection(feedEvents);
  const subject = subjectName(publisherSubject(publisher_domain));
  const where = eventsOf.subject(subject);
  const { rows } = await events.find({ where, sort: { field: 'sequence', direction: 'desc' }, limit });
  return { rows, total: rows.length < limit ? rows.length : await events.count({ subject }, { most }) };
}

/** What the crawl that an event tells of changed; undefined where it tells of no crawl. */
export function changeIn({ state_json }: Pick<FeedEvent, 'state_json'>): PublisherChange | undefined {
  return PublisherChange.safeParse(stateOf({ state_json })['last_change']).data;
}

/** What was shown of the subject then; nothing once it was gone. */
export function stateOf({ state_json }: Pick<FeedEvent, 'state_json'>): Record<string, unknown> {
  return state_json === null ? {} : (JSON.parse(state_json) as Record<string, unknown>);
}

/** The change in a sentence. */
export function summaryOf(event: FeedEvent): string {
  if (event.change === 'removed') return 'the publisher is gone';
  const change = changeIn(event);
  if (change === undefined) return event.change === 'added' ? 'the publisher became known' : 'the publisher changed';
  const parts = (['agents', 'properties'] as const).flatMap((what) =>
    (['added', 'removed', 'changed'] as const).flatMap((done) => {
      const { count } = change[what][done];
      return count === 0 ? [] : [`${what} ${done}: ${count}`];
    }),
  );
  return parts.join(', ') || 'the publisher changed';
}
