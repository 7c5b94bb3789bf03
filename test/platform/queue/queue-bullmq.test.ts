import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BullQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { JobHandler } from '../../../src/platform/queue/queue.ts';
import { until } from '../../support/until.ts';
import { gated, queueOf, record, useQueueBench, WORK } from '../support/queue-bench.ts';

const NUMBERED = { name: 'work', schema: z.object({ n: z.int() }) };

const bench = useQueueBench();
let queues: BullQueues;

beforeEach(() => {
  queues = bench.open();
});

describe('a job', () => {
  it('reaches a worker with its id and data, and leaves nothing behind when done', async () => {
    const queue = queues.queue(NUMBERED);
    const seen: unknown[] = [];
    queues.work(NUMBERED, record(seen), { concurrency: 1 });
    await queue.add('job-1', { n: 1 });
    await until(async () => seen.length === 1 && (await isEmpty('work')));
    expect(seen).toEqual([{ id: 'job-1', data: { n: 1 } }]);
  });

  it('is not queued twice under one id while it is there, and may come again after it is done', async () => {
    const queue = queues.queue(WORK);
    await queue.add('same', { n: 1 });
    await queue.add('same', { n: 2 });
    await queue.addMany([{ id: 'same', data: { n: 3 } }]);
    expect(await queue.counts()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
    const seen: unknown[] = [];
    queues.work(WORK, record(seen), { concurrency: 1 });
    await until(() => isEmpty('work'));
    await queue.add('same', { n: 4 });
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      { id: 'same', data: { n: 1 } },
      { id: 'same', data: { n: 4 } },
    ]);
  });

  it('stays out of the way until its delay has passed', async () => {
    const queue = queues.queue(WORK);
    await queue.add('later', {}, { delayMs: 60_000 });
    await queue.add('soon', {}, { delayMs: 50 });
    const seen: { id: string }[] = [];
    queues.work(WORK, record(seen), { concurrency: 1 });
    await until(() => seen.length === 1);
    expect(seen[0]?.id).toBe('soon');
    expect(await queue.counts()).toMatchObject({ delayed: 1 });
  });

  it('of urgent priority overtakes', async () => {
    await queues.queue(WORK).addMany([
      { id: 'late', data: {}, options: { priority: 9 } },
      { id: 'early', data: {}, options: { priority: 1 } },
      { id: 'first', data: {} },
    ]);
    const seen: { id: string }[] = [];
    queues.work(WORK, record(seen), { concurrency: 1 });
    await until(() => seen.length === 3);
    expect(seen.map(({ id }) => id)).toEqual(['first', 'early', 'late']);
  });

  it('is missing only when it neither waits, is delayed nor runs; can be removed while it does not run', async () => {
    const queue = queues.queue(WORK);
    await queue.addMany([
      { id: 'job-waiting', data: {} },
      { id: 'job-delayed', data: {}, options: { delayMs: 60_000 } },
    ]);
    await Promise.all([queue.remove('job-waiting'), queue.remove('job-delayed'), queue.remove('unknown')]);
    expect(await isEmpty('work')).toBe(true);
    const gate = gated();
    queues.work(WORK, gate.handler, { concurrency: 1 });
    await queue.add('running', {});
    await gate.entered;
    await queue.add('job-later', {}, { delayMs: 60_000 });
    await queue.add('job-next', {});
    const ids = ['running', 'job-later', 'job-next', 'unknown', ...Array.from({ length: 2500 }, (_, n) => `gone-${n}`)];
    expect([...(await queue.missing(ids))]).toEqual(ids.slice(3));
    await Promise.all([queue.remove('job-later'), queue.remove('job-next')]);
    await queue.remove('running');
    expect(await queue.counts()).toMatchObject({ active: 1 });
    gate.open();
  });

  it('whose handler fails is given up, without a retry of the queue’s own', async () => {
    const seen: unknown[] = [];
    const handler: JobHandler<unknown> = async (job) => {
      seen.push(job.id);
      return Promise.reject(new Error('broken'));
    };
    queues.work(WORK, handler, { concurrency: 1 });
    await queues.queue(WORK).add('bad', {});
    await until(async () => seen.length > 0 && (await isEmpty('work')));
    expect(seen).toEqual(['bad']);
  });

  it('comes again after the time its handler parks it for, under the same id, as often as it asks', async () => {
    const seen: string[] = [];
    const handler: JobHandler<unknown> = (job) => {
      seen.push(job.id);
      return Promise.resolve(seen.length < 4 ? { parkMs: 30 } : undefined);
    };
    queues.work(WORK, handler, { concurrency: 1 });
    await queues.queue(WORK).add('parked', {});
    await until(async () => seen.length === 4 && (await isEmpty('work')));
    expect(seen).toEqual(['parked', 'parked', 'parked', 'parked']);
  });

  it('parked for long is counted as delayed, and adding it again does nothing', async () => {
    const seen: unknown[] = [];
    const handler: JobHandler<unknown> = (job) => {
      seen.push(job.data);
      return Promise.resolve({ parkMs: 60_000 });
    };
    const queue = queues.queue(WORK);
    queues.work(WORK, handler, { concurrency: 1 });
    await queue.add('parked', { n: 1 });
    await until(async () => (await queue.counts()).delayed === 1);
    await queue.add('parked', { n: 2 });
    expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 1, failed: 0 });
    expect(seen).toEqual([{ n: 1 }]);
  });
});

it.each(['', '17', 'a:b', 'a b', 'delayed', 'wait', 'ä'])('refuses the job id %j', async (id) => {
  await expect(queues.queue(WORK).add(id, {})).rejects.toThrow(TypeError);
});

it('shows BullMQ’s own queues to a console, for the names asked for so far', () => {
  expect(queues.bullQueues()).toEqual([]);
  queues.queue(queueOf('runs'));
  queues.queue(queueOf('deliveries'));
  queues.queue(queueOf('runs'));
  expect(queues.bullQueues()).toMatchObject([{ name: 'runs' }, { name: 'deliveries' }]);
});

async function isEmpty(name: string): Promise<boolean> {
  const counts = await queues.queue(queueOf(name)).counts();
  return Object.values(counts).every((count) => count === 0);
}
