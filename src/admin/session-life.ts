/** A session of the console or of the buyers' portal ends after 12 hours, and after 2 without use. */
export const SESSION_LIFE_MS = 12 * 3_600_000;
export const IDLE_LIFE_MS = 2 * 3_600_000;
/** How accurately its last use is noted. */
export const LAST_SEEN_GRAIN_MS = 60_000;
