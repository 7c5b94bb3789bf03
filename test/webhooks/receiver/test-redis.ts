import { randomUUID } from 'node:crypto';
import { createLogger } from '../../../src/platform/log.ts';
import { closeRedis, createOutageLog, openRedis } from '../../../src/platform/redis/redis-connection.ts';

/** The Redis of the test run, and a key prefix of this file's own. */
export function openTestRedis() {
  const outages = createOutageLog(createLogger('warn'), 'test redis');
  const redis = openRedis(process.env['REDIS_TEST_URL'] ?? '', outages);
  return { redis, prefix: `receiver-test:${randomUUID()}:`, close: () => closeRedis(redis, outages) };
}
