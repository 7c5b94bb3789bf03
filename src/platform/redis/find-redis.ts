import type { Logger } from '../log.ts';
import { ANSWER_WITHIN_MS, closeRedis, createOutageLog, openRedis, withinDeadline } from './redis-connection.ts';
import type { RedisAddress, ServerAddress } from './redis-connection.ts';

/**
 * What stands at an address: a server alone, or a node of a Redis Cluster, as it says itself. One that answers nothing for
 * 5 s is taken for a server alone, so that a process can start while its Redis is away.
 */
export async function findRedis(address: ServerAddress, logger: Logger): Promise<RedisAddress> {
  const outages = createOutageLog(logger, 'first connection');
  const redis = openRedis(address, outages);
  try {
    const told = await withinDeadline(redis.info('cluster'), 'INFO', ANSWER_WITHIN_MS);
    return /^cluster_enabled:1\s*$/m.test(told) ? { cluster: address } : address;
  } catch (error) {
    logger.warn(
      { err: error },
      'redis does not say whether it is a cluster; a cluster needs a start while it is there',
    );
    return address;
  } finally {
    await closeRedis(redis, outages);
  }
}
