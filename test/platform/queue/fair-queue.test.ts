import { once } from 'node:events';
import type { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FAIR_TAKE } from '../../../src/platform/queue/fair-take-script.ts';
import { FairWorker } from '../../../src/platform/queue/fair-worker.ts';
import type { BullQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { JobHandler, Queue, QueueSpec } from '../../../src/platform/queue/queue.ts';
import { until } from '../../support/until.ts';
import { sharedRedis, useQueueBench } from '../support/queue-bench.ts';

interface Turn {
  of?: string | undefined;
}

/** The script by itself. */
interface TakingRedis extends Redis {
  fairTake(...args: (string | number)[]): Promise<[unknown, string | null, number, string?, 1?]>;
}

const TURNS: QueueSpec<Turn> = { name: 'turns', schema: z.object({ of: z.string().optional() }), fairBy: 'of' };

const bench = useQueueBench();
let queues: BullQueues;
let queue: Queue<Turn>;

beforeEach(() => {
  queues = bench.open();
  queue = queues.queue(TURNS);
});

/** Jobs by their names: the first letter says whom each is for. */
async function add(...names: string[]): Promise<void> {
  await queue.addMany(names.map((id) => ({ id, data: { of: id.slice(0, 1) } })));
}

const jobs = (of: string, count: number) => Array.from({ length: count }, (_, i) => `${of}-${i + 1}`);

/** Takes all there is, one after the other, and answers in which order. */
async function taken(
  isAll: number | (() => boolean),
  then: (id: string) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const seen: string[] = [];
  const handler: JobHandler<Turn> = async ({ id }) => {
    seen.push(id);
    await then(id);
    return undefined;
  };
  const worker = queues.work(TURNS, handler, { concurrency: 1 });
  await until(() => (typeof isAll === 'number' ? seen.length >= isAll : isAll()));
  await worker.close(60_000);
  return seen;
}

/** Jobs that hang until they are let go. */
function hanging() {
  const held = new Map<string, () => void>();
  const most = new Map<string, number>();
  const of = (owner: string) => [...held.keys()].filter((id) => id.startsWith(owner)).length;
  return {
    of,
    most: (owner: string) => most.get(owner) ?? 0,
    letGo(owner: string) {
      for (const [id, go] of held) if (id.startsWith(owner)) go();
    },
    handler: (async ({ id }) => {
      const going = new Promise<void>((resolve) => held.set(id, resolve));
      const owner = id.slice(0, 1);
      most.set(owner, Math.max(most.get(owner) ?? 0, of(owner)));
      await going;
      held.delete(id);
      return undefined;
    }) satisfies JobHandler<Turn>,
  };
}

/** Removes what is kept of the queue under names that begin so, as a flush would. */
async function forget(kind: string): Promise<void> {
  const redis = new Redis(sharedRedis.replace('unix://', ''));
  const keys = await redis.keys(`${bench.prefix}:${kind}*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
}

describe('[S3] jobs of a fair queue', () => {
  it('are taken in rounds, one of each owner, in the order in which they came', async () => {
    await add(...jobs('a', 4), ...jobs('b', 2), 'c-1');
    expect(await taken(7)).toEqual(['a-1', 'b-1', 'c-1', 'a-2', 'b-2', 'a-3', 'a-4']);
  });

  it('of an owner who comes later go in the round that is under way', async () => {
    await add(...jobs('a', 6));
    const order = await taken(8, async (id) => {
      if (id === 'a-3') await add('b-1', 'b-2');
    });
    expect(order).toEqual(['a-1', 'a-2', 'a-3', 'b-1', 'a-4', 'b-2', 'a-5', 'a-6']);
  });

  it('wait for no more than one of each other in every round, however many go on coming', async () => {
    await add(...jobs('a', 10), 'b-1', 'c-1');
    let others = 0;
    let left = 10;
    const isOver = () => left === 0;
    await taken(isOver, async (id) => {
      if (id.startsWith('a')) left--;
      else if (left > 0) await add(`${id.slice(0, 1)}-${++others}-next`); // each of the others always has one that waits
    });
    expect(others).toBeLessThanOrEqual(2 * 10);
  });

  it('whose delay is over wait in line like all others', async () => {
    await queue.addMany(jobs('a', 3).map((id) => ({ id, data: { of: 'a' }, options: { delayMs: 1 } })));
    const addedMs = Date.now();
    await until(() => Date.now() > addedMs + 10);
    await add(...jobs('b', 3));
    const order = await taken(6);
    expect(order.map((id) => id.slice(0, 1)).join('')).toBe('bababa');
  });

  it('that name nobody, as of an earlier release, count as one owner', async () => {
    await queue.addMany(jobs('x', 3).map((id) => ({ id, data: {} })));
    await add(...jobs('a', 2));
    expect(await taken(5)).toEqual(['x-1', 'a-1', 'x-2', 'a-2', 'x-3']);
  });

  it('that are handed back go in the round that is under way, not at the end of their line', async () => {
    await add(...jobs('a', 3), ...jobs('b', 3));
    const seen: string[] = [];
    const worker = queues.work(
      TURNS,
      ({ id }) => {
        seen.push(id);
        return Promise.resolve(seen.length === 1 ? { parkMs: 0 } : undefined);
      },
      { concurrency: 1 },
    );
    await until(() => seen.length === 7);
    await worker.close(60_000);
    expect(seen.indexOf('a-1', 1)).toBeLessThan(seen.indexOf('b-2') + 1);
  });

  it('that were removed while they waited are passed over', async () => {
    await add(...jobs('a', 3), ...jobs('b', 2));
    const order = await taken(3, async (id) => {
      if (id === 'a-1') await Promise.all(['a-2', 'b-1'].map((other) => queue.remove(other)));
    });
    expect(order).toEqual(['a-1', 'b-2', 'a-3']);
    expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
  });

  it('are all taken once each where the order is forgotten while they wait, and where the whole queue is and comes again', async () => {
    await add(...jobs('a', 3), ...jobs('b', 2));
    const order = await taken(8, async (id) => {
      if (id === 'a-1') await forget('fair');
      if (id === 'b-2') {
        await forget('');
        await add('a-2', 'a-4', 'a-5', 'c-1');
      }
    });
    expect(order.slice(0, 1)).toEqual(['a-1']);
    expect(new Set(order)).toContain('c-1');
    expect(order.filter((id) => ['a-4', 'a-5', 'b-1', 'b-2', 'c-1'].includes(id))).toHaveLength(5);
  });

  it('leave nothing behind in Redis but what BullMQ keeps', async () => {
    await add(...jobs('a', 3), ...jobs('b', 2));
    await taken(5);
    await add('c-1');
    await taken(1);
    const redis = new Redis(sharedRedis.replace('unix://', ''));
    const names = await redis.keys(`${bench.prefix}:fair:*:of:*`);
    await redis.quit();
    expect(names).toEqual([]);
  });

  it('are looked through in calls of at most five hundred, and each is taken once, however many wait and though their order is forgotten', async () => {
    const line = [...jobs('a', 1_700), ...jobs('b', 10)];
    await add(...line);
    const redis = new Redis(sharedRedis.replace('unix://', '')) as TakingRedis;
    redis.defineCommand('fairTake', { numberOfKeys: 11, lua: FAIR_TAKE });
    const key = (name: string) => `${bench.prefix}:turns:${name}`;
    const own = (name: string) => `${bench.prefix}:fair:turns:${name}`;
    const call = (...passedOver: string[]) =>
      redis.fairTake(
        ...['wait', 'active', 'prioritized', 'events', 'delayed', 'meta', 'marker'].map(key),
        ...['heads', 'rounds', 'state', 'looked'].map(own),
        ...[key(''), own('of:'), 0, 'token', 60_000, 'worker', 'of', ...passedOver],
      );
    /** Calls until one takes something, or there is nothing: which, and by how much each call made one of the sets longer. */
    const take = async (...passedOver: string[]) => {
      const moved: number[] = [];
      for (;;) {
        const before = await redis.zcard(key('prioritized'));
        const [, id, , , isToBeMadeAgain] = await call(...passedOver);
        moved.push(Math.abs((await redis.zcard(key('prioritized'))) - before));
        const waiting = [
          ...(await redis.lrange(key('wait'), 0, -1)),
          ...(await redis.zrange(key('prioritized'), 0, '-1')),
        ];
        const all = [...waiting, ...(await redis.lrange(key('active'), 0, -1))];
        expect(all.toSorted()).toEqual(line.toSorted());
        if (isToBeMadeAgain !== 1) return { id, moved };
      }
    };
    const first = await take('a');
    expect(first).toEqual({ id: 'b-1', moved: [500, 500, 500, 209] });
    expect(await take('a', 'b')).toEqual({ id: null, moved: [0] });
    await redis.del(own('heads'));
    const next = await take();
    expect([next.id, Math.max(...next.moved), next.moved.length]).toEqual(['a-1', 500, 4]);
    await redis.quit();
  });

  it('wait while the queue is paused', async () => {
    await add('a-1');
    const [bull] = queues.bullQueues() as BullQueue[];
    await bull?.pause();
    const seen: string[] = [];
    queues.work(TURNS, ({ id }) => Promise.resolve(void seen.push(id)), { concurrency: 1 });
    await queue.add('b-1', { of: 'b' });
    expect((await queue.counts()).waiting).toBe(2);
    await bull?.resume();
    await until(() => seen.length === 2);
    expect(seen).toEqual(['a-1', 'b-1']);
  });
});

describe('[S3] of two workers of a fair queue', () => {
  it('nobody gets more than half of the places; whoever comes next has one at once, though the first one hangs', async () => {
    const work = hanging();
    await add(...jobs('a', 30));
    const others = bench.open();
    for (const each of [queues, others]) each.work(TURNS, work.handler, { concurrency: 4 });
    await until(() => work.of('a') === 4);
    await add(...jobs('b', 3));
    await until(() => work.of('b') === 3);
    await add(...jobs('c', 2));
    await until(() => work.of('c') === 1);
    expect(work.of('a')).toBe(4);
    // What becomes free goes to who waits and may have it.
    work.letGo('b');
    await until(() => work.of('c') === 2);
    work.letGo('c');
    await until(async () => {
      work.letGo('a');
      const { waiting, active } = await queue.counts();
      return waiting + active === 0;
    });
    expect([work.most('a'), work.most('b')]).toEqual([4, 3]);
  });

  it('each gets an eighth of the places of one that serves several, so that nobody shares a processor with half of them', async () => {
    const work = hanging();
    await add('b-1', ...jobs('a', 9));
    queues.work(TURNS, work.handler, { concurrency: 16 });
    await until(() => work.of('a') === 2 && work.of('b') === 1);
    await until(async () => {
      work.letGo('a');
      return (await queue.counts()).waiting === 0 && work.of('a') === 0;
    });
    expect(work.most('a')).toBe(2);
    work.letGo('b');
    await until(async () => (await queue.counts()).active === 0);
  });

  it('one goes on holding what takes long', async () => {
    const work = hanging();
    const redis = new Redis(sharedRedis.replace('unix://', ''), { maxRetriesPerRequest: null });
    const worker = new FairWorker('turns', ({ id }) => work.handler({ id: id ?? '', data: {} }), {
      ...{ connection: redis, prefix: bench.prefix, concurrency: 2, stalledInterval: 100 },
      // No stop of this machine lasts as long as the lock, which is renewed all the same.
      ...{ lockDuration: 600_000, lockRenewTime: 100 },
      fairness: { redis, prefix: bench.prefix, by: 'of' },
    });
    const lost: Error[] = [];
    worker.on('error', (error) => lost.push(error));
    await add('a-1');
    await once(worker, 'locksRenewed');
    const lock = `${bench.prefix}:turns:a-1:lock`;
    await redis.pexpire(lock, 300_000);
    await once(worker, 'locksRenewed');
    expect(await redis.pttl(lock)).toBeGreaterThan(300_000);
    work.letGo('a');
    await worker.close();
    redis.disconnect();
    expect(lost).toEqual([]);
    expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
  });

  it('one takes what the other may not have', async () => {
    const first = hanging();
    const second = hanging();
    await add(...jobs('a', 6));
    queues.work(TURNS, first.handler, { concurrency: 4 });
    await until(() => first.of('a') === 2);
    bench.open().work(TURNS, second.handler, { concurrency: 6 });
    await until(() => second.of('a') === 3);
    expect(first.of('a')).toBe(2);
    await until(async () => {
      for (const each of [first, second]) each.letGo('a');
      const { waiting, active } = await queue.counts();
      return waiting + active === 0;
    });
    expect([first.most('a'), second.most('a')]).toEqual([2, 3]);
  });
});
