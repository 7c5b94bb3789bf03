import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.ts';
import { ownCounts } from './own-counts.ts';
import type { OwnCount } from './own-counts.ts';
import { createPlaces } from './places-redis.ts';
import type { RateLimit, RateLimiter, RateVerdict } from './rate-limit.ts';
import { ANSWER_WITHIN_MS, closeRedis, createOutageLog, openRedis, withinDeadline } from './redis-connection.ts';
import type { RedisAddress, RedisClient } from './redis-connection.ts';

export interface RateLimiterOptions {
  connection: RedisAddress;
  /** Begins every key. No `:` at the end. */
  prefix: string;
  logger: Logger;
}

type CountingRedis = RedisClient & {
  takePoints(key: string, points: number, size: number, windowMs: number): Promise<[number, number, number]>;
  givePoints(key: string, points: number): Promise<unknown>;
};

/**
 * Counts in Redis. While Redis is away, or has answered nothing for 5 s, each process counts for itself, so that neither a
 * limit disappears nor a request fails for want of one. Requests that come before the first connection stands wait for it:
 * what a new process counted for itself meanwhile would be given on top of the limit.
 */
export function createRateLimiter({ connection, prefix, logger }: RateLimiterOptions): RateLimiter {
  const outages = createOutageLog(logger, 'rate limits');
  // A request under way when Redis goes is counted here at once, instead of waiting for it to come back. One that hangs has
  // gone as soon as its connection is given up, and what follows does not wait for it.
  const tuning = { maxRetriesPerRequest: 0, socketTimeout: ANSWER_WITHIN_MS } as const;
  const redis = openRedis(connection, outages, tuning) as CountingRedis;
  redis.defineCommand('takePoints', { numberOfKeys: 1, lua: TAKE });
  redis.defineCommand('givePoints', { numberOfKeys: 1, lua: GIVE_BACK });
  const own = ownCounts();
  const places = createPlaces(redis, prefix, randomUUID);
  let isTried = false;
  const tried = withinDeadline(firstTry(redis), 'first connection')
    .catch(() => undefined)
    .then(() => {
      isTried = true;
    });
  const keyOf = ({ name }: RateLimit, key: string) => `${prefix}:limit:${name}:${key}`;

  /** As Redis answers; as this process has counted, where it does not. */
  async function counted<T>(inRedis: () => Promise<T>, here: () => T): Promise<T> {
    if (!isTried) await tried;
    if (redis.status !== 'ready') return here();
    return inRedis().catch(here);
  }

  function take(limit: RateLimit, key: string, points: number): Promise<OwnCount> {
    return counted(
      async () => {
        const windowMs = limit.seconds * 1000;
        const [taken, used, restMs] = await redis.takePoints(keyOf(limit, key), points, limit.points, windowMs);
        return { isTaken: taken === 1, used, restMs };
      },
      () => own.take(limit, key, points),
    );
  }

  return {
    async take(limit, key, points = 1) {
      const now = await take(limit, key, points);
      return verdict(limit, now, now.isTaken);
    },
    async look(limit, key) {
      const now = await take(limit, key, 0);
      return verdict(limit, now, now.used < limit.points);
    },
    async giveBack(limit, key, points = 1) {
      await counted<unknown>(
        () => redis.givePoints(keyOf(limit, key), points),
        () => {
          own.giveBack(limit, key, points);
        },
      );
    },
    async place(name, key, size) {
      if (!isTried) await tried;
      return places.take(`${name}:${key}`, size);
    },
    async close() {
      places.close();
      await closeRedis(redis, outages);
    },
  };
}

/** Takes ARGV[1] of the ARGV[2] points of a window of ARGV[3] ms, or none: [whether, points used, ms until the window ends]. */
const TAKE = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local points = tonumber(ARGV[1])
if points == 0 then return {1, used, redis.call('PTTL', KEYS[1])} end
if used + points > tonumber(ARGV[2]) then return {0, used, redis.call('PTTL', KEYS[1])} end
used = redis.call('INCRBY', KEYS[1], points)
local rest = redis.call('PTTL', KEYS[1])
if rest < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  rest = tonumber(ARGV[3])
end
return {1, used, rest}
`;

/** A window that is over has nothing to give back to. */
const GIVE_BACK = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local back = math.min(used, tonumber(ARGV[1]))
if back > 0 then redis.call('DECRBY', KEYS[1], back) end
return back
`;

/** Resolves once a connection stands or its first try has failed. */
function firstTry(redis: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      redis.off('ready', done).off('close', done);
      resolve();
    };
    redis.on('ready', done).on('close', done);
  });
}

function verdict({ points }: RateLimit, { used, restMs }: OwnCount, allowed: boolean): RateVerdict {
  const resetMs = Math.max(1, restMs);
  return {
    allowed,
    remaining: Math.max(0, points - used),
    resetMs,
    resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  };
}
