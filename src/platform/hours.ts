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
