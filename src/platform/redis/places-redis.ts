import type { RedisClient } from './redis-connection.ts';

/** Places that are held for as long as something lasts, over all processes. */
export interface Places {
  /** A place of `key`, of which there are `size`; undefined: all are taken. Answers within seconds whatever Redis does. */
  take(key: string, size: number): Promise<HeldPlace | undefined>;
  close: () => void;
}

export interface HeldPlace {
  /** Gives the place to others; again changes nothing. */
  letGo(): void;
}

type PlacesRedis = RedisClient & {
  takePlace(key: string, id: string, size: number, leaseMs: number): Promise<number>;
};

/** How long a place lasts without being renewed, and how often it is, in milliseconds. */
interface Lease {
  leaseMs: number;
  renewEveryMs: number;
}

/** The places of a process that is gone are free after a minute. */
const LEASE: Lease = { leaseMs: 60_000, renewEveryMs: 20_000 };

/**
 * Held in Redis by leases that each process renews. While Redis is away each process counts its own; those of the others are
 * counted again once it is back, and within a renewal after it has lost its memory.
 * @param ids makes names that no other process has.
 */
export function createPlaces(
  connection: RedisClient,
  prefix: string,
  ids: () => string,
  { leaseMs, renewEveryMs } = LEASE,
): Places {
  const redis = connection as PlacesRedis;
  redis.defineCommand('takePlace', { numberOfKeys: 1, lua: TAKE_PLACE });
  /** What this process holds: ids of places by key. */
  const held = new Map<string, Set<string>>();
  let renewing: NodeJS.Timeout | undefined;

  /** Nothing is lost when this fails: what is not renewed runs out, and what is renewed later counts again. */
  function send(work: Promise<unknown>): void {
    work.catch(() => undefined);
  }

  function renew(): void {
    if (redis.status !== 'ready') return;
    for (const [key, places] of held)
      for (const id of places) send(redis.takePlace(`${prefix}:places:${key}`, id, Number.MAX_SAFE_INTEGER, leaseMs));
  }

  function letGo(key: string, id: string): void {
    const places = held.get(key);
    if (places?.delete(id) !== true) return;
    if (places.size === 0) held.delete(key);
    if (held.size === 0) {
      clearInterval(renewing);
      renewing = undefined;
    }
    if (redis.status === 'ready') send(redis.zrem(`${prefix}:places:${key}`, id));
  }

  return {
    async take(key, size) {
      const own = held.get(key) ?? new Set<string>();
      if (own.size >= size) return undefined;
      const id = ids();
      held.set(key, own.add(id));
      renewing ??= setInterval(renew, renewEveryMs).unref();
      if (redis.status === 'ready') {
        const taken = await redis.takePlace(`${prefix}:places:${key}`, id, size, leaseMs).catch(() => 1);
        if (taken === 0) {
          letGo(key, id);
          return undefined;
        }
      }
      return {
        letGo: () => {
          letGo(key, id);
        },
      };
    },
    close() {
      clearInterval(renewing);
    },
  };
}

/** Takes or renews place ARGV[1] of ARGV[2] for ARGV[3] ms; 0: all are taken. */
const TAKE_PLACE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`;
