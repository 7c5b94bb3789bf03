import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BullQueues } from '../../src/platform/queue/queue-bullmq.ts';
import { until } from '../support/until.ts';
import { record, sharedRedis, useQueueBench, WORK } from './support/queue-bench.ts';

const TURNS = { name: WORK.name, schema: z.object({ task: z.string(), turn: z.int(), by: z.string().optional() }) };

const bench = useQueueBench();
let queues: BullQueues;
let logged: { level: number; msg: string; job_id?: string; issues?: unknown }[];
beforeEach(() => {
  logged = [];
  const write = (line: string) => {
    logged.push(JSON.parse(line) as (typeof logged)[number]);
  };
  queues = bench.open(sharedRedis, pino({ level: 'warn' }, { write }));
});

const isEmpty = async () => Object.values(await queues.queue(TURNS).counts()).every((count) => count === 0);

describe('a payload', () => {
  it.each<[string, unknown]>([
    ['of an older release', { task: 't' }],
    ['of a newer release', { task_id: 't', turn: 1 }],
    ['with a member of another type', { task: 't', turn: 'one' }],
    ['that is null', null],
    ['that is text', 'garbage'],
    ['that is a list', [{ task: 't', turn: 1 }]],
  ])('%s is dropped and logged once; what comes after it is done', async (_what, garbage) => {
    const seen: unknown[] = [];
    await queues.queue(WORK).add('unfit', garbage);
    queues.work(TURNS, record(seen), { concurrency: 1 });
    await until(isEmpty, 60_000);
    await queues.queue(TURNS).add('fit', { task: 't', turn: 2 });
    await until(() => seen.length > 0, 60_000);
    expect(seen).toEqual([{ id: 'fit', data: { task: 't', turn: 2 } }]);
    expect(logged).toMatchObject([{ level: 40, job_id: 'unfit', issues: expect.any(Array) as unknown }]);
  });

  it('that was dropped leaves its id free for the one that is queued anew', async () => {
    const seen: unknown[] = [];
    await queues.queue(WORK).add('same', { turn: 1 });
    queues.work(TURNS, record(seen), { concurrency: 1 });
    await until(isEmpty, 60_000);
    await queues.queue(TURNS).add('same', { task: 't', turn: 1 });
    await until(() => seen.length > 0, 60_000);
    expect(seen).toEqual([{ id: 'same', data: { task: 't', turn: 1 } }]);
  });

  it('may hold more than this release knows', async () => {
    const seen: unknown[] = [];
    await queues.queue(WORK).add('newer', { task: 't', turn: 1, by: 'a newer release', urgency: 9 });
    queues.work(TURNS, record(seen), { concurrency: 1 });
    await until(() => seen.length > 0, 60_000);
    expect(seen).toEqual([{ id: 'newer', data: { task: 't', turn: 1, by: 'a newer release' } }]);
    expect(logged).toEqual([]);
  });

  it('is never in the log', async () => {
    await queues.queue(WORK).add('unfit', { task: ['s3cret'], turn: 's3cret', s3cret: 1 });
    queues.work(TURNS, record([]), { concurrency: 1 });
    await until(isEmpty, 60_000);
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain('s3cret');
  });
});
