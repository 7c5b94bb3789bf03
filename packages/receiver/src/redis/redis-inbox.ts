import { inboxLimits } from '../inbox/inbox.ts';
import type { InboxClaim, Inbox, InboxEvent, InboxOptions } from '../inbox/inbox.ts';
import { DEFAULT_REDIS_PREFIX, evalIn, shortHash } from './redis-client.ts';
import type { RedisClient } from './redis-client.ts';

/**
 * Keys, all in one slot: 1 the sender's handled events by when to forget them; 2 the claim of the event; 3 the claim of
 * its subject; 4 the newest instant of its subject. Keys 3 and 4 are left alone when the instant is empty.
 */
const CLAIM = `
local event, owner, now, at, lease, cap = unpack(ARGV)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZSCORE', KEYS[1], event) then return 'duplicate' end
if redis.call('EXISTS', KEYS[2]) == 1 then return 'busy' end
if at ~= '' then
  if redis.call('EXISTS', KEYS[3]) == 1 then return 'busy' end
  local newest = redis.call('GET', KEYS[4])
  if newest and tonumber(at) < tonumber(newest) then return 'stale' end
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(cap) then return 'full' end
redis.call('SET', KEYS[2], owner, 'PX', lease)
if at ~= '' then redis.call('SET', KEYS[3], owner, 'PX', lease) end
return 'claimed'`;

const FINISH = `
local event, owner, now, at, retention = unpack(ARGV)
redis.call('ZADD', KEYS[1], tonumber(now) + tonumber(retention), event)
redis.call('PEXPIRE', KEYS[1], retention)
if redis.call('GET', KEYS[2]) == owner then redis.call('DEL', KEYS[2]) end
if at ~= '' then
  local newest = redis.call('GET', KEYS[4])
  if newest and tonumber(newest) > tonumber(at) then at = newest end
  redis.call('SET', KEYS[4], at, 'PX', retention)
  if redis.call('GET', KEYS[3]) == owner then redis.call('DEL', KEYS[3]) end
end
return 'finished'`;

const RELEASE = `
for index = 2, 3 do
  if redis.call('GET', KEYS[index]) == ARGV[1] then redis.call('DEL', KEYS[index]) end
end
return 'released'`;

const CLAIMS: readonly unknown[] = ['claimed', 'duplicate', 'stale', 'busy', 'full'] satisfies InboxClaim[];

/** Remembers events in Redis, for any number of processes and endpoints. */
export function redisInbox(redis: RedisClient, options: InboxOptions & { prefix?: string } = {}): Inbox {
  const { retentionMs, leaseMs, eventsPerSender } = inboxLimits(options);
  const prefix = options.prefix ?? DEFAULT_REDIS_PREFIX;

  async function keysOf({ sender, idempotencyKey, order }: InboxEvent): Promise<string[]> {
    const slot = `${prefix}inbox:{${await shortHash(sender)}}`;
    const subject = await shortHash(order?.subject ?? '');
    return [
      `${slot}:handled`,
      `${slot}:event:${await shortHash(idempotencyKey)}`,
      `${slot}:subject:${subject}`,
      `${slot}:newest:${subject}`,
    ];
  }

  return {
    async claim(event, owner, now) {
      const { idempotencyKey, order } = event;
      const args = [idempotencyKey, owner, now, order?.at ?? '', leaseMs, eventsPerSender];
      const claim = await evalIn(redis, CLAIM, await keysOf(event), args);
      if (!CLAIMS.includes(claim)) throw new Error('the inbox gave an unknown answer');
      return claim as InboxClaim;
    },
    async finish(event, owner, now) {
      const { idempotencyKey, order } = event;
      const args = [idempotencyKey, owner, now, order?.at ?? '', retentionMs];
      await evalIn(redis, FINISH, await keysOf(event), args);
    },
    async release(event, owner) {
      await evalIn(redis, RELEASE, await keysOf(event), [owner]);
    },
  };
}
