import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';
import { feedEvents } from '../../directory/feed/feed-event.ts';
import { feedMark } from '../../directory/feed/feed-mark.ts';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { Store } from '../../platform/store/collection.ts';

/** A whole page: one after which there is more. */
export interface WholePage {
  bytes: Buffer;
  last: FeedEvent;
}

/** Pages of the feed that are asked for again and again, by whoever begins to follow it; of this process. */
export interface KeptPages {
  /** The page after a place, in gzip, if it is kept and is still what the feed tells there; undefined: read it. */
  find(place: number, limit: number): Promise<Buffer | undefined>;
  /** Hears of a page that was read: it is kept from the second time on. Nobody waits for that. */
  made(place: number, limit: number, page: WholePage): void;
  /** When what is being kept is kept. */
  idle(): Promise<void>;
}

interface Kept {
  gzipped: Buffer;
  /** The key of its last event, and what was told of that. */
  last_id: string;
  told: string;
  /** What it takes to keep it. */
  bytes: number;
}

/** Of all that is kept, with what it takes to know that it is still so; the least recently used go first. */
const MOST_BYTES = 16_000_000;
/** Of one page, with its place in the table here. */
const BYTES_OF_PAGE = 400;
/** How many places are remembered that were asked for once. */
const MOST_ASKED = 10_000;
/** What is fast in making small is small enough: an event is mostly names that come again. */
const LEVEL = { level: constants.Z_BEST_SPEED };
const compress = promisify(gzip);

/**
 * Keeps pages after which there is more: events have numbers without gaps and are never written anew, so that such a page is the same for
 * good. It is told as long as its place is kept (rule R16.feed) and its last event is there as it was, which two reads by key say: in a
 * store that was restored another event may have the number. Without a filter alone.
 */
export function keptPages(store: Store, mostBytes = MOST_BYTES): KeptPages {
  const kept = new Map<string, Kept>();
  const asked = new Set<string>();
  const working = new Set<Promise<void>>();
  let bytes = 0;

  function drop(name: string): void {
    bytes -= kept.get(name)?.bytes ?? 0;
    kept.delete(name);
  }

  async function keep(name: string, { bytes: page, last }: WholePage): Promise<void> {
    const gzipped = await compress(page, LEVEL);
    const one = { gzipped, last_id: last.event_id, told: told(last) };
    const size = BYTES_OF_PAGE + gzipped.length + 2 * one.told.length;
    if (size > mostBytes / 8) return;
    drop(name);
    kept.set(name, { ...one, bytes: size });
    bytes += size;
    for (const oldest of kept.keys()) {
      if (bytes <= mostBytes) break;
      drop(oldest);
    }
  }

  return {
    async find(place, limit) {
      const name = `${place} ${limit}`;
      const found = kept.get(name);
      if (found === undefined) return undefined;
      const [last, { kept_after }] = await Promise.all([
        store.collection(feedEvents).get(found.last_id),
        feedMark(store),
      ]);
      const isSame = last !== undefined && told(last) === found.told;
      if (!isSame || place < kept_after) {
        if (kept.get(name) === found) drop(name);
        return undefined;
      }
      if (kept.get(name) === found) {
        kept.delete(name);
        kept.set(name, found);
      }
      return found.gzipped;
    },
    made(place, limit, page) {
      const name = `${place} ${limit}`;
      if (!asked.delete(name)) {
        if (asked.size >= MOST_ASKED) asked.clear();
        asked.add(name);
        return;
      }
      // What cannot be made small is not kept, which costs its next reader a read.
      const work: Promise<void> = keep(name, page)
        .catch(() => undefined)
        .finally(() => working.delete(work));
      working.add(work);
    },
    async idle() {
      await Promise.all(working);
    },
  };
}

/** What is told of an event, whatever has overtaken it. */
function told({ is_overtaken: _overtaken, revision: _revision, ...event }: FeedEvent): string {
  return canonicalJson(event);
}

/**
 * Where a page that is full ends, so that those who follow the feed from different places come to ask for the same pages: at a multiple
 * of the limit, if it has an event up to there.
 */
export function wholePage(events: readonly FeedEvent[], place: number, limit: number): readonly FeedEvent[] {
  const boundary = (Math.floor(place / limit) + 1) * limit;
  const upTo = events.filter(({ sequence }) => sequence <= boundary);
  return upTo.length > 0 ? upTo : events;
}
