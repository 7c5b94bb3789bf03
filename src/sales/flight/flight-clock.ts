import { fromTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';

/** What a flight's time is counted from. */
export interface Booked {
  /** When the buy was made, by the wall clock. */
  created_at: string;
  /** How far a test has moved the flight ahead of that, in milliseconds; absent: not at all. */
  flight_ahead_ms?: number | undefined;
}

/**
 * The time at which a buy's flight stands. It is the wall clock's, unless the seller plays flights faster: then it runs
 * that many times as fast from the moment the buy was made, each buy by itself (`docs/decisions/0014-simulated-ad-server.md`).
 * Instants in milliseconds.
 */
export interface FlightClock {
  now(buy: Booked): number;
  /** Where the flight stood at an instant of the wall clock. */
  at(buy: Booked, wallMs: number): number;
  /** The first wall-clock instant at which {@link FlightClock.now} answers this flight instant or a later one. */
  wallAt(buy: Booked, flightMs: number): number;
}

/** @param speed How many times faster than the wall clock; at least 1. */
export function createFlightClock(clock: Clock, speed = 1): FlightClock {
  const at = ({ created_at, flight_ahead_ms: aheadMs = 0 }: Booked, wallMs: number) => {
    const bookedMs = fromTimestamp(created_at);
    const elapsedMs = Math.max(0, wallMs - bookedMs);
    return bookedMs + Math.floor(elapsedMs * speed) + aheadMs;
  };
  return {
    now: (buy) => at(buy, clock.now()),
    at,
    wallAt({ created_at, flight_ahead_ms: aheadMs = 0 }, flightMs) {
      const bookedMs = fromTimestamp(created_at);
      return bookedMs + Math.ceil((flightMs - aheadMs - bookedMs) / speed);
    },
  };
}
