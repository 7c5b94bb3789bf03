import { Cluster, Redis } from 'ioredis';
import type { Logger } from '../log.ts';
import { createSparingLog } from '../sparing-log.ts';
import { within } from '../within.ts';

/**
 * Where a Redis is: `redis://…`, `rediss://…`, `unix:///path` or the absolute path of a unix socket.
 */
export type ServerAddress = string;

/** A server that stands alone, or a Redis Cluster by the address of one of its nodes; see `findRedis`. */
export type RedisAddress = ServerAddress | { cluster: ServerAddress };

/** A connection to either. */
export type RedisClient = Redis | Cluster;

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
export function openRedis(address: RedisAddress, outages: OutageLog, options: ConnectionTuning = {}): RedisClient {
  return typeof address === 'string' ? openServer(address, outages, options) : openCluster(address, outages, options);
}

function openServer(address: ServerAddress, outages: OutageLog, options: ConnectionTuning): Redis {
  const all = {
    retryStrategy: reconnectAfterMs,
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
    ...options,
  };
  const path = /^(?:unix:\/\/)?(\/.*)$/.exec(address)?.[1];
  return watched(path === undefined ? new Redis(address, all) : new Redis({ path, ...all }), outages);
}

/** A command for a node that is away tries again as the cluster learns who has its keys: some seconds at most. */
function openCluster(
  { cluster }: { cluster: ServerAddress },
  outages: OutageLog,
  { lazyConnect = false, ...tuning }: ConnectionTuning,
): Cluster {
  const { host, port, username, password, tls } = new Redis(cluster, { lazyConnect: true }).options;
  const access = { ...(username && { username }), ...(password && { password }), ...(tls && { tls }) };
  const client = new Cluster([{ ...(host && { host }), ...(port && { port }) }], {
    redisOptions: { ...access, ...tuning },
    lazyConnect,
    clusterRetryStrategy: reconnectAfterMs,
    // Names of nodes are what their certificates are for.
    dnsLookup: (name, found) => {
      found(null, name);
    },
    slotsRefreshTimeout: ANSWER_WITHIN_MS,
    ...(tuning.maxRetriesPerRequest === 0 && { maxRedirections: HASTY_REDIRECTIONS }),
  });
  client.on('node error', (error: Error) => {
    outages.nodeFailed(error);
  });
  return watched(client, outages);
}

/**
 * A connection that only listens. Any node of a cluster hears what is published at another; when its own goes, it turns to the
 * next that `others` knows.
 */
export function openSubscriber(address: RedisAddress, others: RedisClient, outages: OutageLog): Redis {
  const tuning = { autoResubscribe: false };
  const redis = openServer(typeof address === 'string' ? address : address.cluster, outages, tuning);
  let turn = 0;
  redis.on('close', () => {
    if (!(others instanceof Cluster)) return;
    const nodes = others.nodes();
    const { host, port } = nodes[turn++ % nodes.length]?.options ?? {};
    if (host !== undefined && port !== undefined) Object.assign(redis.options, { host, port });
  });
  return redis;
}

function watched<R extends RedisClient>(redis: R, outages: OutageLog): R {
  const client: RedisClient = redis;
  client.on('error', (error: Error) => {
    outages.lost(client, error);
  });
  client.on('close', () => {
    outages.lost(client);
  });
  client.on('ready', () => {
    outages.back(client);
  });
  return redis;
}

function reconnectAfterMs(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_CAP_MS);
}

/** So often is a command sent on, in a cluster, that is rather answered by nobody than late. */
const HASTY_REDIRECTIONS = 3;

/** Closes a connection: after the answers still to come when Redis is there, at once when it is not. Never rejects. */
export async function closeRedis(redis: RedisClient, outages: OutageLog): Promise<void> {
  outages.forget(redis);
  if (redis.status === 'ready') {
    await withinDeadline(redis.quit(), 'quit', 1000).catch(() => undefined);
  }
  redis.disconnect();
}

export interface OutageLog {
  lost(redis: RedisClient, error?: Error): void;
  back(redis: RedisClient): void;
  /** One node of a cluster is away, which keeps the others from nothing. */
  nodeFailed(error: Error): void;
  /** This connection is being closed on purpose. */
  forget(redis: RedisClient): void;
}

/**
 * One line per outage of what `what` names, however many connections it has and however often they retry; and of outages
 * for one reason that follow each other one a minute.
 */
export function createOutageLog(logger: Logger, what: string): OutageLog {
  const away = new Set<RedisClient>();
  const forgotten = new WeakSet<RedisClient>();
  const sparing = createSparingLog();
  let isTold = false;
  return {
    lost(redis, error) {
      if (forgotten.has(redis)) return;
      if (away.size === 0) {
        isTold = false;
        const reason = error?.message;
        sparing(reason ?? '', (repeated) => {
          isTold = true;
          logger.warn({ what, reason, ...(repeated > 0 && { repeated }) }, 'redis is away; reconnecting');
        });
      }
      away.add(redis);
    },
    back(redis) {
      if (away.delete(redis) && away.size === 0 && isTold) logger.info({ what }, 'redis is back');
    },
    nodeFailed({ message }) {
      sparing(`node: ${message}`, (repeated) => {
        logger.warn({ what, reason: message, repeated }, 'a node of the redis cluster is away');
      });
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
