import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Logger } from '../log.ts';
import { closeRedis, createOutageLog, openRedis } from './redis-connection.ts';
import type { RedisAddress, RedisClient } from './redis-connection.ts';

/** With Redis away for so long, a request passes without being counted. */
const TIMEOUT_MS = 1000;

/** How a gate reaches Redis. */
export interface GateConnection<R extends RedisClient> {
  redis: R;
  /** Whether Redis is there, now or within a second. */
  isThere(): Promise<boolean>;
  /** A name that no other process gives. */
  permit(): string;
  close(): Promise<void>;
}

/** A connection whose commands of one moment share a round trip. */
export function openGateConnection<R extends RedisClient>(
  connection: RedisAddress,
  logger: Logger,
  what: string,
): GateConnection<R> {
  const outages = createOutageLog(logger, what);
  const redis = openRedis(connection, outages) as R;
  redis.options.enableAutoPipelining = true;
  const own = randomBytes(9).toString('base64url');
  let count = 0;
  return {
    redis,
    async isThere() {
      if (redis.status === 'ready') return true;
      await once(redis, 'ready', { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
      return isReady(redis);
    },
    permit: () => `${own}-${(count++).toString(36)}`,
    close: () => closeRedis(redis, outages),
  };
}

function isReady({ status }: RedisClient): boolean {
  return status === 'ready';
}
