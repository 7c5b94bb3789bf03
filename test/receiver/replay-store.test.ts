import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryReplayStore } from '#receiver';
import type { ReplayStore } from '#receiver';
import { redisReplayStore } from '#receiver/redis/index';
import { openTestRedis } from './test-redis.ts';

const { redis, nodeRedis, prefix, close } = openTestRedis();
afterAll(close);

const now = Date.now();
const stores: [string, (noncesPerKey: number) => ReplayStore][] = [
  ['in memory', memoryReplayStore],
  ['in Redis', (noncesPerKey) => redisReplayStore(redis, { prefix: prefix + randomUUID(), noncesPerKey })],
  [
    'in Redis by node-redis',
    (noncesPerKey) => redisReplayStore(nodeRedis, { prefix: prefix + randomUUID(), noncesPerKey }),
  ],
];

describe.each(stores)('the replay store %s', (_where, open) => {
  it('[W12] records a nonce once, until and including its last instant', async () => {
    const store = open(10);
    expect(await store.record('k', 'n', now + 1000, now)).toBe('recorded');
    expect(await store.record('k', 'n', now + 9000, now + 500)).toBe('seen');
    expect(await store.record('k', 'n', now + 9000, now + 1000)).toBe('seen');
    expect(await store.record('k', 'n', now + 9000, now + 1001)).toBe('recorded');
  });

  it('[W12] keeps keys apart', async () => {
    const store = open(10);
    expect(await store.record('k', 'n', now + 1000, now)).toBe('recorded');
    expect(await store.record('k2', 'n', now + 1000, now)).toBe('recorded');
    expect(await store.record('k', 'n2', now + 1000, now)).toBe('recorded');
  });

  it('[W12] tells one of many at once that it was first', async () => {
    const store = open(100);
    const answers = await Promise.all(Array.from({ length: 50 }, () => store.record('k', 'n', now + 1000, now)));
    expect(answers.filter((answer) => answer === 'recorded')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'seen')).toHaveLength(49);
  });

  it('[W12] refuses more than the share of a key, and forgets nothing to make room', async () => {
    const store = open(3);
    expect(await store.isFull('k', now)).toBe(false);
    for (const nonce of ['a', 'b', 'c']) expect(await store.record('k', nonce, now + 1000, now)).toBe('recorded');
    expect(await store.isFull('k', now)).toBe(true);
    expect(await store.isFull('other', now)).toBe(false);
    expect(await store.record('k', 'd', now + 1000, now)).toBe('full');
    expect(await store.record('k', 'a', now + 1000, now)).toBe('seen');
  });

  it('[W12] admits no more than the share when many come at once', async () => {
    const store = open(10);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => store.record('k', `n${index}`, now + 1000, now)),
    );
    expect(answers.filter((answer) => answer === 'recorded')).toHaveLength(10);
    expect(answers.filter((answer) => answer === 'full')).toHaveLength(40);
  });

  it('[W12] has room again once nonces have expired', async () => {
    const store = open(2);
    await store.record('k', 'a', now + 1000, now);
    await store.record('k', 'b', now + 2000, now);
    expect(await store.isFull('k', now + 1000)).toBe(true);
    expect(await store.isFull('k', now + 1001)).toBe(false);
    expect(await store.record('k', 'c', now + 3000, now + 1001)).toBe('recorded');
  });
});

describe('the replay store in Redis', () => {
  it('[W12] is one for all processes', async () => {
    const shared = { prefix: prefix + randomUUID() };
    expect(await redisReplayStore(redis, shared).record('k', 'n', now + 1000, now)).toBe('recorded');
    expect(await redisReplayStore(redis, shared).record('k', 'n', now + 1000, now)).toBe('seen');
  });

  it('leaves nothing behind that never expires', async () => {
    const own = prefix + randomUUID();
    await redisReplayStore(redis, { prefix: own }).record('k', 'n', now + 360_000, now);
    const keys = await redis.keys(`${own}*`);
    expect(keys).toHaveLength(1);
    expect(await redis.pttl(keys[0] ?? '')).toBeGreaterThan(300_000);
  });
});
