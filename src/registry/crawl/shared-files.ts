import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Turns } from '../probe/ask.ts';

/** A file as it was fetched for the first who pointed to it. */
export interface SharedFile {
  body: Buffer;
  /** When the look began that fetched it, by the clock, in milliseconds: it is no newer for who reads it later. */
  fetchedMs: number;
}

/** Files that publishers point to, for as long as one round of crawls lasts. */
export interface SharedFiles {
  find: (url: string) => SharedFile | undefined;
  keep: (url: string, file: SharedFile) => void;
}

/** Of all files together, in bytes: as many as the largest that is read may have. */
const MOST_KEPT_BYTES = 20_000_000;
/** A round goes on for as long as anything is due; an older file is fetched anew. In milliseconds. */
const MOST_AGE_MS = 5 * 60_000;

/**
 * Remembers files that were read whole, of which the one fetched first goes first. A failure is not remembered: it would be held against
 * every publisher that points there, and may have passed when the next one asks.
 */
export function sharedFiles(clock: Clock, mostBytes = MOST_KEPT_BYTES): SharedFiles {
  const kept = new Map<string, SharedFile>();
  let bytes = 0;
  const drop = (url: string) => {
    bytes -= kept.get(url)?.body.length ?? 0;
    kept.delete(url);
  };
  return {
    find(url) {
      const file = kept.get(url);
      const ageMs = clock.now() - (file?.fetchedMs ?? 0);
      if (ageMs >= 0 && ageMs < MOST_AGE_MS) return file;
      drop(url);
      return undefined;
    },
    keep(url, file) {
      drop(url);
      if (file.body.length > mostBytes) return;
      for (const oldest of kept.keys()) {
        if (bytes + file.body.length <= mostBytes) break;
        drop(oldest);
      }
      kept.set(url, file);
      bytes += file.body.length;
    },
  };
}

/**
 * Does work on a shared file when nobody else is at it: who waits has no place meanwhile, as at an origin. The turn is one of its own, by
 * a name that no host has, since the work itself waits for its origin.
 */
export function inTurnForFile<T>(turns: Turns | undefined, url: string, work: () => Promise<T>): Promise<T> {
  if (turns === undefined) return work();
  const name = createHash('sha256').update(url).digest('hex').slice(0, 32);
  return turns.inTurn(`https://${name}.file.invalid/`, work);
}
