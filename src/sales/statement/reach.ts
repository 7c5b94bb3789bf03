import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { ceilHour, floorHour, HOUR_MS } from '../../platform/hours.ts';
import type { Description } from '../ad-server/description.ts';
import type { Statement } from '../ad-server/statement.ts';
import type { BuyTerms } from './buy-terms.ts';
import type { DeliveryBook } from './delivery-book.ts';
import { bucketOf, grainOf } from './window.ts';

/** How far a statement is complete for a buy; undefined when it does not say. */
export function completeUntil(
  { complete_until }: Pick<Statement, 'complete_until'>,
  media_buy_id: string,
): string | undefined {
  return typeof complete_until === 'string' ? complete_until : complete_until[media_buy_id];
}

/** Up to where a statement is final for a buy; undefined when it does not say. */
export function finalUntil({ final_until }: Pick<Statement, 'final_until'>, media_buy_id: string): string | undefined {
  return typeof final_until === 'object' ? final_until[media_buy_id] : final_until;
}

/** The hour of UTC before which all buckets are in that end by an instant. */
export function recordedUntil(complete_until: string, offset_minutes: number): string {
  return toTimestamp(floorHour(fromTimestamp(complete_until) - grainOf(offset_minutes).offsetMs));
}

/** The hour of UTC in which delivery can begin at the earliest: of the flight, or of the making of the buy. */
export function firstHour({ created_at, lines }: Pick<BuyTerms, 'created_at' | 'lines'>): string {
  const earliest = lines.reduce((first, { start }) => (start < first ? start : first), created_at);
  return toTimestamp(floorHour(fromTimestamp(earliest)));
}

/**
 * From which hour of UTC on to ask: what is not recorded, and what may be stated otherwise. Never before the buy's first
 * hour, nor what is final.
 */
export function askFrom(
  recorded_until: string,
  restates_hours: number,
  { first, final_until }: { first: string; final_until?: string | undefined },
): string {
  const recordedMs = fromTimestamp(recorded_until);
  const finalMs = final_until === undefined ? -Infinity : floorHour(fromTimestamp(final_until)) - HOUR_MS;
  const fromMs = Math.max(recordedMs - restates_hours * HOUR_MS, finalMs);
  return toTimestamp(Math.max(Math.min(recordedMs, fromMs), Math.min(recordedMs, fromTimestamp(first))));
}

/** Whether an hour of the flight is not recorded though it should be in. Instants of the flight. */
export function isDelayed(
  { recorded_until, now, start, end }: { recorded_until: string; now: string; start: string; end: string },
  { offset_minutes, delay_minutes }: Pick<Description['statements'], 'offset_minutes' | 'delay_minutes'>,
): boolean {
  const grain = grainOf(offset_minutes);
  const nextMs = Math.max(fromTimestamp(recorded_until), floorHour(fromTimestamp(start) - grain.offsetMs));
  const { beginsMs, endsMs } = bucketOf(grain, nextMs);
  return beginsMs < fromTimestamp(end) && endsMs + delay_minutes * 60_000 <= fromTimestamp(now);
}

/**
 * Whether nothing can be added or stated otherwise any more of a flight that was over at an instant: all its hours are in,
 * and final by the ad server's word, or for being older than it restates.
 */
export function isFinal(
  { complete_until, final_until }: Pick<DeliveryBook, 'complete_until' | 'final_until'>,
  over: string,
  { offset_minutes, restates_hours }: Pick<Description['statements'], 'offset_minutes' | 'restates_hours'>,
): boolean {
  const { offsetMs } = grainOf(offset_minutes);
  const lastMs = ceilHour(fromTimestamp(over) - offsetMs) + offsetMs;
  const reaches = (instant: string | null, ms: number) => instant !== null && fromTimestamp(instant) >= ms;
  const isOld = reaches(complete_until, lastMs + restates_hours * HOUR_MS);
  return reaches(complete_until, lastMs) && (isOld || reaches(final_until, lastMs));
}
