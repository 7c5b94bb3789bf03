import { DEFAULT_REDIS_PREFIX, evalIn, shortHash } from './redis-client.ts';
import type { RedisClient } from './redis-client.ts';
import { DEFAULT_NONCES_PER_KEY } from '../replay/replay-store.ts';
import type { ReplayStore } from '../replay/replay-store.ts';

/** Keys: one sorted set per signing key, nonces by expiry. Arguments: now, cap. */
const IS_FULL = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1])
return redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) and 1 or 0`;

/** Keys: as above. Arguments: now, cap, nonce, until. */
const RECORD = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1])
if redis.call('ZSCORE', KEYS[1], ARGV[3]) then return 'seen' end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 'full' end
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[3])
local life = tonumber(ARGV[4]) - tonumber(ARGV[1]) + 1
if redis.call('PTTL', KEYS[1]) < life then redis.call('PEXPIRE', KEYS[1], life) end
return 'recorded'`;

/** Keeps nonces in Redis, for any number of processes and endpoints that one sender can reach. */
export function redisReplayStore(
  redis: RedisClient,
  { prefix = DEFAULT_REDIS_PREFIX, noncesPerKey = DEFAULT_NONCES_PER_KEY } = {},
): ReplayStore {
  const keysFor = async (keyid: string) => [`${prefix}nonces:${await shortHash(keyid)}`];
  return {
    async isFull(keyid, now) {
      return (await evalIn(redis, IS_FULL, await keysFor(keyid), [now, noncesPerKey])) === 1;
    },
    async record(keyid, nonce, until, now) {
      const answer = await evalIn(redis, RECORD, await keysFor(keyid), [now, noncesPerKey, nonce, until]);
      if (answer === 'recorded' || answer === 'seen' || answer === 'full') return answer;
      throw new Error('the replay store gave an unknown answer');
    },
  };
}
