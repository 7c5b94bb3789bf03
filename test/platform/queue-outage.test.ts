import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { createOutageLog, openRedis } from '../../src/platform/redis/redis-connection.ts';
import { until } from '../support/until.ts';
import { gated, record, useQueueBench, WORK } from './support/queue-bench.ts';

const bench = useQueueBench();

describe('a Redis that goes away', () => {
  it('is waited for: jobs added before are done after it comes back, on the connections there are', async () => {
    const redis = await bench.ownRedis();
    const away = bench.open(redis.url);
    const seen: { id: string }[] = [];
    away.work(WORK, record(seen), { concurrency: 1 });
    const queue = away.queue(WORK);
    await queue.add('before', {});
    await queue.add('parked', {}, { delayMs: 2_000 });
    await until(() => seen.length >= 1);
    await redis.crash();
    await redis.resume();
    await until(() => seen.length === 2);
    await until(() =>
      queue.add('after', {}).then(
        () => true,
        () => false,
      ),
    );
    await until(() => seen.length === 3);
    expect(seen.map(({ id }) => id)).toEqual(['before', 'parked', 'after']);
  });

  it('makes adding and asking fail rather than hang, and is told once in the log', async () => {
    const redis = await bench.ownRedis();
    const lines: unknown[] = [];
    const heard = pino(
      { level: 'info', base: null },
      { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) },
    );
    const away = bench.open(redis.url, heard);
    away.work(WORK, record([]), { concurrency: 1 });
    await away.ping();
    await redis.crash();
    const refused = await Promise.allSettled([away.queue(WORK).add('a', {}), away.ping(), away.wasFlushed()]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await redis.resume();
    await until(() =>
      away.ping().then(
        () => true,
        () => false,
      ),
    );
    await until(() => lines.length === 2);
    expect(lines).toEqual(['redis is away; reconnecting', 'redis is back']);
  });

  it('does not keep a process from closing', async () => {
    const redis = await bench.ownRedis();
    const away = bench.open(redis.url);
    const gate = gated();
    const worker = away.work(WORK, gate.handler, { concurrency: 1 });
    await away.queue(WORK).add('running', {});
    await gate.entered;
    await redis.crash();
    await until(() =>
      away.ping().then(
        () => false,
        () => true,
      ),
    );
    await worker.close(0);
  });

  it('that was never there does not keep a process from closing either', async () => {
    const never = bench.open('unix:///nonexistent/redis.sock');
    never.work(WORK, record([]), { concurrency: 1 });
    await expect(never.ping()).rejects.toThrow();
  });
});

describe('a flushed Redis', () => {
  it('is told to exactly one of many racing callers, each time', async () => {
    const redis = await bench.ownRedis();
    const askers = Array.from({ length: 8 }, () => bench.open(redis.url));
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([...askers, ...askers].map((asker) => asker.wasFlushed()));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await askers[0]?.wasFlushed()).toBe(false);
      await flush(redis.url);
    }
  });

  it('does not stop workers: jobs queued again are done, even those that were running', async () => {
    const redis = await bench.ownRedis();
    const flushed = bench.open(redis.url);
    const gate = gated();
    flushed.work(WORK, gate.handler, { concurrency: 2 });
    const queue = flushed.queue(WORK);
    await queue.add('running', {});
    await gate.entered;
    await flush(redis.url);
    await queue.add('running', {});
    gate.open();
    await until(() => gate.runs() === 2);
    await queue.add('next', {});
    await until(() => gate.runs() === 3);
  });
});

async function flush(connection: string): Promise<void> {
  const redis = openRedis(connection, createOutageLog(createLogger('silent'), 'test'));
  await redis.flushall();
  redis.disconnect();
}
