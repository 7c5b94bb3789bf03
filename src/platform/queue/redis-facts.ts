import { withinDeadline } from '../redis/redis-connection.ts';
import type { RedisClient } from '../redis/redis-connection.ts';

/** What a Redis says of itself; undefined for what it does not say. */
export interface RedisFacts {
  version: string | undefined;
  /** What it does when its memory is full. */
  maxmemory_policy: string | undefined;
  /** Whether it writes down what it is told, in an append-only file. */
  is_appending: boolean | undefined;
}

/** Rejects within 5 s when it does not answer. Of a cluster one node is asked. */
export async function redisFacts(redis: RedisClient): Promise<RedisFacts> {
  const info = await withinDeadline(redis.info(), 'what Redis says of itself');
  const valueOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const appending = valueOf('aof_enabled');
  return {
    version: valueOf('redis_version'),
    maxmemory_policy: valueOf('maxmemory_policy'),
    is_appending: appending === undefined ? undefined : appending === '1',
  };
}

/** Redis's clock less this process's, in milliseconds, with half of how long the answer took. Rejects likewise. */
export async function redisAheadMs(redis: RedisClient): Promise<number> {
  const askedMs = Date.now();
  const [seconds = 0, micros = 0] = (await withinDeadline(redis.time(), 'the time of Redis')).map(Number);
  const halfWayMs = (askedMs + Date.now()) / 2;
  return seconds * 1000 + micros / 1000 - halfWayMs;
}
