import type { RateLimit, RateLimiter, RateVerdict } from '../../src/platform/redis/rate-limit.ts';

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
    take: async (limit, key, points) => asWhole(await limiter.take(slow(limit), key, points)),
    look: async (limit, key) => asWhole(await limiter.look(slow(limit), key)),
    giveBack: (limit, key, points) => limiter.giveBack(slow(limit), key, points),
  };
}

function asWhole(verdict: RateVerdict): RateVerdict {
  const resetSeconds = Math.ceil(verdict.resetSeconds / SLOWER);
  return { ...verdict, resetSeconds, resetMs: resetSeconds * 1000 };
}
