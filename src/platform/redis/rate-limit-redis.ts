import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../log.ts';
import type { RateLimit, RateLimiter, RateVerdict } from './rate-limit.ts';
import { ANSWER_WITHIN_MS, closeRedis, createOutageLog, openRedis, withinDeadline } from './redis-connection.ts';
import type { RedisAddress } from './redis-connection.ts';

export interface RateLimiterOptions {
  connection: RedisAddress;
  /** Begins every key. No `:` at the end. */
  prefix: string;
  logger: Logger;
}

/**
 * Counts in Redis. While Redis is away, or has answered nothing for 5 s, each process counts for itself, so that neither a
 * limit disappears nor a request fails for want of one. Requests that come before the first connection stands wait for it:
 * what a new process counted for itself meanwhile would be given on top of the limit.
 */
export function createRateLimiter({ connection, prefix, logger }: RateLimiterOptions): RateLimiter {
  const outages = createOutageLog(logger, 'rate limits');
  // A request under way when Redis goes is counted here at once, instead of waiting for it to come back. One that hangs has
  // gone as soon as its connection is given up, and what follows does not wait for it.
  const redis = openRedis(connection, outages, { maxRetriesPerRequest: 0, socketTimeout: ANSWER_WITHIN_MS });
  let isTried = false;
  const tried = withinDeadline(firstTry(redis), 'first connection')
    .catch(() => undefined)
    .then(() => {
      isTried = true;
    });
  const limiters = new Map<string, RateLimiterRedis>();

  const limiterOf = ({ name, points, seconds }: RateLimit): RateLimiterRedis => {
    const id = `${name}-${points}-${seconds}`;
    const known = limiters.get(id);
    if (known) return known;
    const created = new RateLimiterRedis({
      storeClient: redis,
      rejectIfRedisNotReady: true,
      keyPrefix: `${prefix}:limit:${name}`,
      points,
      duration: seconds,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }),
    });
    limiters.set(id, created);
    return created;
  };

  return {
    async take(limit, key) {
      if (!isTried) await tried;
      try {
        return verdict(true, await limiterOf(limit).consume(key));
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return verdict(false, refusal);
        throw refusal;
      }
    },
    async giveBack(limit, key) {
      if (!isTried) await tried;
      await limiterOf(limit).reward(key, 1);
    },
    close: () => closeRedis(redis, outages),
  };
}

/** Resolves once a connection stands or its first try has failed. */
function firstTry(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      redis.off('ready', done).off('close', done);
      resolve();
    };
    redis.on('ready', done).on('close', done);
  });
}

function verdict(allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): RateVerdict {
  return {
    allowed,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  };
}
