/** Stores in Redis, for receivers of several processes: the package export `media-buy-receiver/redis`. */
export type { IoredisClient, NodeRedisClient, RedisClient } from './redis-client.ts';
export { redisInbox } from './redis-inbox.ts';
export { redisReplayStore } from './redis-replay-store.ts';
