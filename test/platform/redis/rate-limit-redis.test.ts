import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit-redis.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { startSwallowingProxy } from '../support/swallowing-proxy.ts';
import { until } from '../../support/until.ts';

/** Long enough not to end while a test runs. */
const LIMIT = { name: 'tries', points: 4, seconds: 86_400 };

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** The limiter of a process that has just started. */
function newProcess(prefix: string, connection = process.env['REDIS_TEST_URL'] ?? '') {
  const limiter = createRateLimiter({ connection, prefix, logger: createLogger('silent') });
  cleanUp.push(() => limiter.close());
  return limiter;
}

const allowed = (verdicts: { allowed: boolean }[]) => verdicts.filter((verdict) => verdict.allowed).length;

describe('[R14] a limit', () => {
  it('holds over all processes from the first request of each', async () => {
    const prefix = `limits-${randomUUID()}`;
    const verdicts = [];
    for (let i = 0; i < 3; i++) {
      const limiter = newProcess(prefix);
      verdicts.push(...(await Promise.all([limiter.take(LIMIT, 'a'), limiter.take(LIMIT, 'a')])));
    }
    expect(allowed(verdicts)).toBe(LIMIT.points);
    expect(await newProcess(prefix).take(LIMIT, 'b')).toMatchObject({ allowed: true, remaining: 3 });
  });

  it('gives a point back in every process', async () => {
    const prefix = `limits-${randomUUID()}`;
    await newProcess(prefix).take(LIMIT, 'a');
    await newProcess(prefix).giveBack(LIMIT, 'a');
    expect(await newProcess(prefix).take(LIMIT, 'a')).toMatchObject({ remaining: 3 });
  });

  it('is counted by each process for itself while Redis is away, and together again when it is back', async () => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const [one, other] = [newProcess('limits', redis.url), newProcess('limits', redis.url)];
    await one.take(LIMIT, 'a');
    await other.take(LIMIT, 'a');
    await redis.crash();
    const alone = [];
    for (let i = 0; i < 6; i++) alone.push(await one.take(LIMIT, 'b'));
    expect(allowed(alone)).toBe(LIMIT.points);
    expect(await other.take(LIMIT, 'b')).toMatchObject({ allowed: true });
    await redis.resume();
    const shared = { ...LIMIT, points: 1_000_000 };
    await until(async () => {
      const [before, after] = [await one.take(shared, 'c'), await other.take(shared, 'c')];
      return after.remaining === before.remaining - 1;
    });
  });

  it('is counted by each process for itself while Redis hangs, and together again when it answers', async () => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const proxy = await startSwallowingProxy(redis.url.replace('unix://', ''));
    cleanUp.push(() => proxy.close());
    const [one, other] = [newProcess('limits', `redis://127.0.0.1:${proxy.port}`), newProcess('limits', redis.url)];
    await one.take(LIMIT, 'a');
    proxy.swallow();
    const alone = await Promise.all(Array.from({ length: 6 }, () => one.take(LIMIT, 'b')));
    expect(allowed(alone)).toBe(LIMIT.points);
    await one.giveBack(LIMIT, 'b');
    expect(await one.take(LIMIT, 'c')).toMatchObject({ allowed: true, remaining: 3 });
    expect(await newProcess('limits', `redis://127.0.0.1:${proxy.port}`).take(LIMIT, 'b')).toMatchObject({
      allowed: true,
    });
    expect(await other.take(LIMIT, 'b')).toMatchObject({ remaining: 3 });
    proxy.restore();
    const shared = { ...LIMIT, points: 1_000_000 };
    await until(async () => {
      const [before, after] = [await one.take(shared, 'd'), await other.take(shared, 'd')];
      return after.remaining === before.remaining - 1;
    });
  });

  it('is counted where there is no Redis at all', async () => {
    const limiter = newProcess('limits', '/nowhere/redis.sock');
    const verdicts = [];
    for (let i = 0; i < 6; i++) verdicts.push(await limiter.take(LIMIT, 'a'));
    expect(allowed(verdicts)).toBe(LIMIT.points);
  });
});
