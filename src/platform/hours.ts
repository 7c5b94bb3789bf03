import { toTimestamp } from './clock.ts';

/** Whole hours and days of UTC, in milliseconds since the Unix epoch; UTC has neither zones nor, here, leap seconds. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The first instant of the hour that an instant is in. */
export function floorHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

/** The first instant of an hour that is not before an instant. */
export function ceilHour(ms: number): number {
  return Math.ceil(ms / HOUR_MS) * HOUR_MS;
}

/** From which day to which, such as `2026-01-31`, both with them. */
interface Days {
  since?: string | undefined;
  until?: string | undefined;
}

/** The instants of these days of UTC, as a condition on a timestamp; of what is no day that itself, which whoever reads it refuses. Pure. */
export function instantsOfDays({ since, until }: Days): { gte?: string; lt?: string } {
  return {
    ...(since !== undefined && { gte: startOfDay(since, 0) }),
    ...(until !== undefined && { lt: startOfDay(until, DAY_MS) }),
  };
}

function startOfDay(day: string, laterMs: number): string {
  const ms = Date.parse(day);
  const isDay = !Number.isNaN(ms) && toTimestamp(ms).slice(0, 10) === day;
  return isDay ? toTimestamp(ms + laterMs) : day;
}
