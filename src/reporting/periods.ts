import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import { GRANULARITIES, nextStart } from '../sales/delivery/granularity.ts';
import type { Granularity, Step } from '../sales/delivery/granularity.ts';

/**
 * A stretch of a buy's reporting in which one frequency holds: its first period ends at `first_end`, the others are whole
 * hours, days or months of UTC. Instants of the flight.
 */
export const Stretch = z.strictObject({
  start: z.string(),
  first_end: z.string(),
  frequency: z.enum(GRANULARITIES),
  /** Where reporting broke off, if it did before the next stretch. */
  until: z.string().nullable(),
});
export type Stretch = z.infer<typeof Stretch>;

/** A stretch that begins at an instant, its first period being the one that `nowMs` is in. */
export function stretchFrom(startMs: number, frequency: Granularity, nowMs: number): Stretch {
  const first_end = toTimestamp(nextStart(Math.max(startMs, nowMs), frequency));
  return { start: toTimestamp(startMs), first_end, frequency, until: null };
}

/** Where the hour, day or month of UTC begins that an instant is in. */
export function floorOf(ms: number, frequency: Granularity): number {
  const date = new Date(ms);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (frequency === 'monthly') return Date.UTC(year, month);
  return frequency === 'daily' ? Date.UTC(year, month, day) : Date.UTC(year, month, day, date.getUTCHours());
}

/**
 * The period that an instant is in, cut at `endMs`, the end of the flight; undefined where nothing is reported. Pure.
 */
export function periodOf(stretches: readonly Stretch[], ms: number, endMs = Infinity): Step | undefined {
  const stretch = stretches.findLast(({ start }) => fromTimestamp(start) <= ms);
  if (stretch === undefined || ms >= endMs) return undefined;
  if (stretch.until !== null && ms >= fromTimestamp(stretch.until)) return undefined;
  const firstEndMs = fromTimestamp(stretch.first_end);
  const isFirst = ms < firstEndMs;
  const fromMs = isFirst ? fromTimestamp(stretch.start) : floorOf(ms, stretch.frequency);
  const untilMs = isFirst ? firstEndMs : nextStart(ms, stretch.frequency);
  return { fromMs, untilMs: Math.min(untilMs, endMs) };
}
