import { DAY_MS, HOUR_MS } from '../../../platform/hours.ts';

/** How far ahead a change is looked for; every zone that changes its clocks does so twice a year. */
const LOOKED_DAYS = 366;

/** When a time zone's clocks change next, on or after an instant; undefined where they never do. Pure. */
export function nextClockChangeMs(timeZone: string, fromMs: number): number | undefined {
  const wallClock = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const startMs = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
  for (let dayMs = startMs; dayMs < startMs + LOOKED_DAYS * DAY_MS; dayMs += DAY_MS) {
    if (offsetMs(wallClock, dayMs) === offsetMs(wallClock, dayMs + DAY_MS)) continue;
    for (let ms = dayMs; ms < dayMs + DAY_MS; ms += HOUR_MS) {
      if (offsetMs(wallClock, ms) !== offsetMs(wallClock, ms + HOUR_MS)) return ms + HOUR_MS;
    }
  }
  return undefined;
}

/** How far the zone's clocks are ahead of UTC's at an instant. */
function offsetMs(wallClock: Intl.DateTimeFormat, ms: number): number {
  const parts = Object.fromEntries(wallClock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
}
