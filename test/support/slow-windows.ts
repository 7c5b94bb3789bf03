import type { RateLimit, RateLimiter } from '../../src/platform/redis/rate-limit.ts';

/** A minute of a limit lasts more than eight hours; an hour is still no longer than timers can wait. */
const SLOWER = 500;

/**
 * The limits of a limiter with windows that no test outlasts, however slow the machine: same points, same Redis, and the
 * wait told as if the seconds were whole.
 */
export function slowWindows(limiter: RateLimiter): RateLimiter {
  const slow = (limit: RateLimit): RateLimit => ({ ...limit, seconds: limit.seconds * SLOWER });
  return {
    ...limiter,
    async take(limit, key) {
      const verdict = await limiter.take(slow(limit), key);
      return { ...verdict, resetSeconds: Math.ceil(verdict.resetSeconds / SLOWER) };
    },
    giveBack: (limit, key) => limiter.giveBack(slow(limit), key),
  };
}
