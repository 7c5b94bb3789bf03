import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';

/**
 * Where an ad server's hours lie: an hour of UTC is taken to be the bucket that begins in it (docs/decisions/0020-the-book.md).
 * All in milliseconds.
 */
export interface Grain {
  /** How long after the whole hour of UTC a bucket begins: from 0 to less than an hour. */
  offsetMs: number;
}

/** @param offset_minutes Of the ad server's description. */
export function grainOf(offset_minutes: number): Grain {
  return { offsetMs: (((offset_minutes % 60) + 60) % 60) * 60_000 };
}

/** The bucket of an hour of UTC. */
export function bucketOf({ offsetMs }: Grain, hourMs: number): { beginsMs: number; endsMs: number } {
  return { beginsMs: hourMs + offsetMs, endsMs: hourMs + offsetMs + HOUR_MS };
}

/** What a statement answers for: the buckets that begin in the range that was asked for, and end by `completeMs`. */
export interface Window extends Grain {
  fromMs: number;
  untilMs: number;
  completeMs: number;
}

/** Whether a statement says all of an hour of UTC, so that its silence is a count of nothing. */
export function isCovered(window: Window, hourMs: number): boolean {
  const { beginsMs, endsMs } = bucketOf(window, hourMs);
  return beginsMs >= window.fromMs && beginsMs < window.untilMs && endsMs <= window.completeMs;
}

/** The first instants of the days of UTC that a window lies in. */
export function daysOf({ fromMs, untilMs, completeMs }: Window): number[] {
  const firstMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  const count = Math.ceil((Math.min(untilMs, completeMs) - firstMs) / DAY_MS);
  return Array.from({ length: Math.max(0, count) }, (_, i) => firstMs + i * DAY_MS);
}

/** The hours of a day that a window covers. */
export function hoursOf(window: Window, dayMs: number): number[] {
  return Array.from({ length: 24 }, (_, i) => dayMs + i * HOUR_MS).filter((hourMs) => isCovered(window, hourMs));
}
