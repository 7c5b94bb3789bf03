/** Limits that hold across all processes (rule R14), kept in Redis by `rate-limit-redis.ts`. */

/** So many points within so many seconds, from the first one taken. */
export interface RateLimit {
  /** Letters, digits, `-` and `_`; limits with one name share their counts. */
  name: string;
  points: number;
  seconds: number;
}

export interface RateVerdict {
  allowed: boolean;
  /** Points left in this window. */
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
}

export interface RateLimiter {
  /** Takes one point of `key`. When none is left, nothing is taken. Answers within seconds whatever Redis does. */
  take(limit: RateLimit, key: string): Promise<RateVerdict>;
  /** Gives a point back, for limits on which only some outcomes count. */
  giveBack(limit: RateLimit, key: string): Promise<void>;
  close(): Promise<void>;
}
