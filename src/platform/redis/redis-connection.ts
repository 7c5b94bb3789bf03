import { Redis } from 'ioredis';
import type { Logger } from '../log.ts';
import { within } from '../within.ts';

/**
 * Where a Redis is: `redis://…`, `rediss://…`, `unix:///path` or the absolute path of a unix socket.
 */
export type RedisAddress = string;

/** Longest wait between two tries to reconnect, in milliseconds. Tries never end. */
const RECONNECT_CAP_MS = 2000;

/** How long an operation may wait for Redis before it fails, in milliseconds. */
export const ANSWER_WITHIN_MS = 5000;

/** What may differ from one connection to another; see ioredis. */
export interface ConnectionTuning {
  /** Null: commands wait for Redis as long as it takes. 0: they fail with their connection. Default: after 20 tries to reconnect. */
  maxRetriesPerRequest?: null | 0;
  /** A connection on which commands wait and nothing has come for so many milliseconds is given up. Default: never. */
  socketTimeout?: number;
  /** Connect with the first command. */
  lazyConnect?: boolean;
  autoResubscribe?: boolean;
}

/**
 * A connection that reconnects for ever with capped backoff. Errors never surface as `error` events: an outage is
 * logged once when it begins and once when it ends, through `outages`.
 */
export function openRedis(address: RedisAddress, outages: OutageLog, options: ConnectionTuning = {}): Redis {
  const all = {
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_CAP_MS),
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
    ...options,
  };
  const path = /^(?:unix:\/\/)?(\/.*)$/.exec(address)?.[1];
  const redis = path === undefined ? new Redis(address, all) : new Redis({ path, ...all });
  redis.on('error', (error: Error) => {
    outages.lost(redis, error);
  });
  redis.on('close', () => {
    outages.lost(redis);
  });
  redis.on('ready', () => {
    outages.back(redis);
  });
  return redis;
}

/** Closes a connection: after the answers still to come when Redis is there, at once when it is not. Never rejects. */
export async function closeRedis(redis: Redis, outages: OutageLog): Promise<void> {
  outages.forget(redis);
  if (redis.status === 'ready') {
    await withinDeadline(redis.quit(), 'quit', 1000).catch(() => undefined);
  }
  redis.disconnect();
}

export interface OutageLog {
  lost(redis: Redis, error?: Error): void;
  back(redis: Redis): void;
  /** This connection is being closed on purpose. */
  forget(redis: Redis): void;
}

/** One line per outage of what `what` names, however many connections it has and however often they retry. */
export function createOutageLog(logger: Logger, what: string): OutageLog {
  const away = new Set<Redis>();
  const forgotten = new WeakSet<Redis>();
  return {
    lost(redis, error) {
      if (forgotten.has(redis)) return;
      if (away.size === 0) logger.warn({ what, reason: error?.message }, 'redis is away; reconnecting');
      away.add(redis);
    },
    back(redis) {
      if (away.delete(redis) && away.size === 0) logger.info({ what }, 'redis is back');
    },
    forget(redis) {
      away.delete(redis);
      forgotten.add(redis);
    },
  };
}

/** Settles as `work` does, or rejects once `ms` milliseconds have passed; `work` itself goes on. */
export function withinDeadline<T>(work: Promise<T>, what: string, ms = ANSWER_WITHIN_MS): Promise<T> {
  return within(ms, work, () => {
    throw new Error(`redis did not answer within ${ms} ms: ${what}`);
  });
}

/** True for what a lost or refused connection throws, which {@link OutageLog} has told already. */
export function isConnectionError(error: Error): boolean {
  return 'syscall' in error || error.message === 'Connection is closed.' || error.name === 'MaxRetriesPerRequestError';
}
