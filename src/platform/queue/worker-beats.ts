import type { RedisClient } from '../redis/redis-connection.ts';
import { withinDeadline } from '../redis/redis-connection.ts';

/** A worker that has not said so for this long is not counted among those that work, in milliseconds. */
export const HEARD_WITHIN_MS = 30_000;

/** Which workers there are, by what they say themselves: a hint for people, by which nothing is decided. */
export interface WorkerBeats {
  /** This process works. To be said well within {@link HEARD_WITHIN_MS}. */
  beat(name: string): Promise<void>;
  /** It does so no more. */
  end(name: string): Promise<void>;
  /** How many have said so lately. Rejects within 5 s when Redis does not answer. */
  count(): Promise<number>;
}

/** By Redis's clock, which all processes share. */
export function workerBeats(redis: RedisClient, prefix: string): WorkerBeats {
  const key = `${prefix}:workers`;
  const run = (script: string, what: string, ...values: (string | number)[]) =>
    withinDeadline(redis.eval(script, 1, key, ...values), what);
  return {
    async beat(name) {
      await run(BEAT, 'a beat of a worker', name, HEARD_WITHIN_MS);
    },
    async end(name) {
      await withinDeadline(redis.zrem(key, name), 'the last beat of a worker');
    },
    count: async () => Number(await run(COUNT, 'the count of workers', HEARD_WITHIN_MS)),
  };
}

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const BEAT = `${NOW}redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const COUNT = `${NOW}return redis.call('ZCOUNT', KEYS[1], now - ARGV[1], '+inf')`;
