import { AppError } from '../../platform/errors.ts';
import type { Store, Where } from '../../platform/store/collection.ts';
import { eventsOf, FEED_TYPES, feedEvents } from './feed-event.ts';
import type { FeedEvent } from './feed-event.ts';
import { feedMark } from './feed-mark.ts';
import { newestEvent } from './newest-event.ts';

/** Which events somebody wants; all of them when it says nothing. */
export interface FeedFilter {
  /** Of {@link FEED_TYPES}. */
  types?: readonly string[] | undefined;
  publisher_domain?: string | undefined;
}

/** Oldest first. */
interface EventPage {
  events: FeedEvent[];
  hasMore: boolean;
}

/** The newest event's number; 0 for a feed without events. */
export async function endOfFeed(store: Store): Promise<number> {
  return (await newestEvent(store))?.sequence ?? 0;
}

/**
 * The events after a place in the feed, or after all that has been forgotten. Its `cursor` is where to go on: behind all that was
 * looked at, also what the filter left out.
 * @throws {AppError} `CURSOR_EXPIRED` for a place that events have been forgotten after, or that the feed has not come to: as
 * when its store was restored from a backup.
 */
export async function eventsAfter(
  store: Store,
  place: number | undefined,
  limit: number,
  filter: FeedFilter = {},
): Promise<EventPage & { cursor: number }> {
  const where = whereOf(filter);
  const isFiltered = Object.keys(where).length > 0;
  for (;;) {
    const from = place ?? (await feedMark(store)).kept_after;
    // Before the events: at the end of what fits, all up to here has been looked at. Without a filter that is what is there.
    const lookedTo = isFiltered ? await endOfFeed(store) : from;
    const { events, hasMore } = await read(store, { ...where, sequence: { gt: from } }, limit);
    const last = events.at(-1)?.sequence ?? 0;
    const end = Math.max(last, isFiltered ? lookedTo : events.length > 0 ? 0 : await endOfFeed(store));
    const { kept_after } = await feedMark(store);
    if (from >= kept_after && from <= end)
      return { events, hasMore, cursor: hasMore ? last : Math.max(lookedTo, last) };
    // Where no place was named, and more has been forgotten meanwhile, from what is kept now.
    if (place !== undefined || from > end) throw expired(from, { kept_after, end });
  }
}

function whereOf({ types, publisher_domain }: FeedFilter): Where<FeedEvent> {
  return {
    ...(publisher_domain !== undefined && eventsOf.publisher(publisher_domain)),
    // All of them cost a look-up for each.
    ...(types !== undefined && types.length < FEED_TYPES.length && { type: { in: types } }),
  };
}

/** A place in a snapshot: where the feed ended when it was begun, and how far it has been read. */
export interface SnapshotPlace {
  end: number;
  read_to: number;
}

/**
 * What folds to the state in which the feed was at the snapshot's end, or a newer one, of everything: the events up to there
 * but for those that a later one has overtaken. What changes while somebody pages, the feed tells after that end.
 * @throws {AppError} `CURSOR_EXPIRED` when paging takes longer than events are kept.
 */
export async function snapshotAfter(
  store: Store,
  { end, read_to }: SnapshotPlace,
  limit: number,
): Promise<EventPage & { next: SnapshotPlace }> {
  const now = await endOfFeed(store);
  const where = { is_overtaken: null, sequence: { gt: read_to, lte: end } };
  const { events, hasMore } = await read(store, where, limit);
  const { kept_after } = await feedMark(store);
  if (end < kept_after || end > now) throw expired(end, { kept_after, end: now }, 'page');
  return { events, hasMore, next: { end, read_to: events.at(-1)?.sequence ?? end } };
}

/**
 * Events for somebody who holds nothing yet: as in a snapshot, what folds to the present state, by a filter. Its `cursor` is a place
 * to go on from: a number once the snapshot's end is reached, from where the feed tells what has changed since.
 * @throws {AppError} `CURSOR_EXPIRED` when that takes longer than events are kept.
 */
export async function eventsFromStart(
  store: Store,
  place: SnapshotPlace | undefined,
  limit: number,
  filter: FeedFilter = {},
): Promise<EventPage & { placeAt: (sequence: number) => string; cursor: number }> {
  const now = await endOfFeed(store);
  const { end, read_to } = place ?? { end: now, read_to: 0 };
  const wanted = whereOf(filter);
  // What a later event has overtaken would be told without the removal behind it, once that is forgotten.
  const isUnfiltered = Object.keys(wanted).length === 0;
  const where = { ...wanted, ...(isUnfiltered && { is_overtaken: null }), sequence: { gt: read_to, lte: end } };
  const { events: found, hasMore } = await read(store, where, limit);
  const { kept_after } = await feedMark(store);
  if (end < kept_after || end > now) throw expired(end, { kept_after, end: now });
  const events = found.filter(({ is_overtaken }) => is_overtaken == null);
  const placeAt = (sequence: number) => (sequence >= end ? String(end) : `${end}.${sequence}`);
  // What has changed since it was begun is told behind its end.
  return {
    events,
    hasMore: hasMore || now > end,
    placeAt,
    cursor: hasMore ? (found.at(-1)?.sequence ?? read_to) : end,
  };
}

async function read(store: Store, where: Where<FeedEvent>, limit: number): Promise<EventPage> {
  const sort = { field: 'sequence', direction: 'asc' } as const;
  const { rows, cursor } = await store.collection(feedEvents).find({ where, sort, limit });
  return { events: rows, hasMore: cursor !== undefined };
}

function expired(
  at: number,
  { kept_after, end }: { kept_after: number; end: number },
  field: 'cursor' | 'page' = 'cursor',
): AppError {
  const why = at > end ? `the feed ends at ${end}: it may have been restored` : `the feed is kept after ${kept_after}`;
  return new AppError(
    'CURSOR_EXPIRED',
    `${field}: ${at} cannot be gone on from, for ${why}; begin anew by the snapshot`,
    {
      field,
      suggestion: 'read GET /api/registry/feed/snapshot to its end, then the feed from its cursor on',
      details: { code: 'CURSOR_EXPIRED', snapshot: '/api/registry/feed/snapshot', oldest_cursor: String(kept_after) },
    },
  );
}
