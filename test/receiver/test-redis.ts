import { randomUUID } from 'node:crypto';
import type { NodeRedisClient } from '#receiver/redis/index';
import { createLogger } from '../../src/platform/log.ts';
import { closeRedis, createOutageLog, openRedis } from '../../src/platform/redis/redis-connection.ts';

/** The Redis of the test run, as either client spells scripts, and a key prefix of this file's own. */
export function openTestRedis() {
  const outages = createOutageLog(createLogger('warn'), 'test redis');
  const redis = openRedis(process.env['REDIS_TEST_URL'] ?? '', outages);
  const nodeRedis: NodeRedisClient = {
    isOpen: true,
    eval: (script, { keys, arguments: args }) => redis.eval(script, keys.length, ...keys, ...args),
  };
  return { redis, nodeRedis, prefix: `receiver-test:${randomUUID()}:`, close: () => closeRedis(redis, outages) };
}
