/** Limits that hold across all processes (rule R14), kept in Redis by `rate-limit-redis.ts`. */

import type { HeldPlace } from './places-redis.ts';

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
  /** Until the window ends, in milliseconds, at least 1. */
  resetMs: number;
  /** The same in whole seconds, at least 1. */
  resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes so many points of `key`, one unless said. When fewer are left, nothing is taken. Answers within seconds whatever
   * Redis does.
   */
  take(limit: RateLimit, key: string, points?: number): Promise<RateVerdict>;
  /** Whether a point is left; takes none. */
  look(limit: RateLimit, key: string): Promise<RateVerdict>;
  /** Gives points back, for limits on which only some outcomes count. */
  giveBack(limit: RateLimit, key: string, points?: number): Promise<void>;
  /** A place of `key`, of which there are `size`, until it is let go; undefined: all are taken. */
  place(name: string, key: string, size: number): Promise<HeldPlace | undefined>;
  close(): Promise<void>;
}
