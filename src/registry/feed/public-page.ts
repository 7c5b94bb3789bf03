import { endOfFeed, eventsAfter, eventsFromStart } from '../../directory/feed/read-events.ts';
import type { FeedFilter, SnapshotPlace } from '../../directory/feed/read-events.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import { jsonOfPage, jsonOfPublicEvent } from './schema.ts';
import { namesNotAll, unfoldAuthorizations } from './unfold.ts';

/**
 * A page of the feed as clients of the public protocol follow it, as JSON. Without a cursor it begins with all that folds to the
 * present state; authorizations are told one by one; and where a cursor can no longer be gone on from, the answer says so in
 * `cursor_expired`, since those clients take 410 for a failure that passes (rule R16.feed).
 */
export async function unfoldedPage(
  { store, clock }: { store: Store; clock: Clock },
  place: number | SnapshotPlace | undefined,
  { limit, filter }: { limit: number; filter: FeedFilter },
): Promise<Buffer> {
  const wanted = filter.types && new Set(filter.types);
  const types = wanted && [...wanted, ...([...wanted].some(isOfAuthorization) ? PUBLISHER_TYPES : [])];
  const read = { ...filter, types: types && [...new Set(types)] };
  try {
    const page = await (typeof place === 'number'
      ? kept(store, place, limit, read)
      : eventsFromStart(store, place, limit, read));
    const tellsAuthorizations = wanted === undefined || [...wanted].some(isOfAuthorization);
    if (typeof place === 'number' && tellsAuthorizations && page.events.some(namesNotAll)) return await anew(store);
    const { taken, unfolded } = tellsAuthorizations
      ? await unfoldAuthorizations(store, page.events, { atMs: clock.now(), most: limit })
      : { taken: page.events.length, unfolded: page.events };
    const told =
      wanted === undefined ? unfolded : unfolded.filter((event) => wanted.has(`${event.kind}.${event.change}`));
    const isCut = taken < page.events.length;
    const cursor = isCut ? (page.events[taken - 1]?.sequence ?? page.cursor) : page.cursor;
    return jsonOfPage(told, { has_more: isCut || page.hasMore, cursor: page.placeAt(cursor) }, jsonOfPublicEvent);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CURSOR_EXPIRED') throw error;
    return anew(store);
  }
}

async function anew(store: Store): Promise<Buffer> {
  return jsonOfPage([], { has_more: true, cursor: `${await endOfFeed(store)}.0`, cursor_expired: true });
}

const PUBLISHER_TYPES = ['publisher.added', 'publisher.changed', 'publisher.removed'];

function isOfAuthorization(type: string): boolean {
  return type.startsWith('authorization.');
}

async function kept(store: Store, place: number, limit: number, filter: FeedFilter) {
  return { ...(await eventsAfter(store, place, limit, filter)), placeAt: String };
}
