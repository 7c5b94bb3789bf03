import type { MediaBuy } from '../media-buy/media-buy.ts';

/** Up to when delivery is recorded; of a flight that nobody owes a look any more, and of one never looked at, that is now. Pure. */
export function recordedUpTo(
  { flight, flight_due_at }: Pick<MediaBuy, 'flight' | 'flight_due_at'>,
  nowMs: number,
): number {
  if (flight === undefined || (flight_due_at ?? null) === null) return nowMs;
  return Math.min(nowMs, Date.parse(flight.recorded_until));
}
