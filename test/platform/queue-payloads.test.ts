import type { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
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

/** Nothing is to be done any more; what has failed stays. */
const isDone = async () => {
  const { waiting, active, delayed } = await queues.queue(TURNS).counts();
  return waiting + active + delayed === 0;
};

/** What an operator sees of dropped jobs. */
async function notes(): Promise<{ data: unknown; failedReason?: string }[]> {
  const [queue] = queues.bullQueues() as BullQueue[];
  return (await queue?.getFailed()) ?? [];
}

/** Writes over the payload of a job that waits. */
async function spoil(id: string, payload: string): Promise<void> {
  const redis = new Redis(sharedRedis);
  await redis.hset(`${bench.prefix}:${WORK.name}:${id}`, 'data', payload);
  await redis.quit();
}

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
    await until(isDone);
    await queues.queue(TURNS).add('fit', { task: 't', turn: 2 });
    await until(() => seen.length > 0);
    expect(seen).toEqual([{ id: 'fit', data: { task: 't', turn: 2 } }]);
    expect(logged).toMatchObject([{ level: 40, job_id: 'unfit', issues: expect.any(Array) as unknown }]);
  });

  it.each(['', '{', 'garbage', '{"task":"t","turn":1', '\u0000'])(
    'that is no JSON (%j) is dropped and logged once, also as the next after another; what comes after it is done',
    async (payload) => {
      const seen: unknown[] = [];
      const waiting = ['before', 'first', 'between', 'second', 'after'];
      for (const id of waiting) await queues.queue(TURNS).add(id, { task: id, turn: 1 });
      for (const id of ['first', 'second']) await spoil(id, payload);
      queues.work(TURNS, record(seen), { concurrency: 1 });
      await until(() => seen.length >= 3);
      await until(isDone);
      expect(seen.map((job) => (job as { id: string }).id)).toEqual(['before', 'between', 'after']);
      expect(logged.map(({ level, job_id }) => [level, job_id])).toEqual([
        [40, 'first'],
        [40, 'second'],
      ]);
      await queues.queue(TURNS).add('first', { task: 'first', turn: 1 });
      await until(() => seen.length === 4);
    },
  );

  it('that was dropped stays visible as a failed job that says what did not fit, and the newest hundred do', async () => {
    for (let i = 0; i < 120; i++) await queues.queue(WORK).add(`unfit-${i}`, { task: ['s3cret'], turn: 1 });
    await queues.queue(TURNS).add('no-json', { task: 't', turn: 1 });
    await spoil('no-json', 's3cret');
    queues.work(TURNS, record([]), { concurrency: 1 });
    await until(() => logged.length === 121);
    await until(isDone);
    expect((await queues.queue(TURNS).counts()).failed).toBe(100);
    const kept = await notes();
    expect(kept.map(({ data }) => data)).toContainEqual({
      job_id: 'no-json',
      problems: [{ path: '', code: 'no_json' }],
    });
    expect(kept.map(({ data }) => data)).toContainEqual({
      job_id: 'unfit-119',
      problems: [{ path: 'task', code: 'invalid_type' }],
    });
    expect(new Set(kept.map(({ failedReason }) => failedReason))).toEqual(
      new Set(['the payload of a job did not fit; it was dropped']),
    );
    expect(JSON.stringify(kept.map(({ data }) => data)) + JSON.stringify(logged)).not.toContain('s3cret');
  });

  it('that was dropped leaves its id free for the one that is queued anew', async () => {
    const seen: unknown[] = [];
    await queues.queue(WORK).add('same', { turn: 1 });
    queues.work(TURNS, record(seen), { concurrency: 1 });
    await until(isDone);
    await queues.queue(TURNS).add('same', { task: 't', turn: 1 });
    await until(() => seen.length > 0);
    expect(seen).toEqual([{ id: 'same', data: { task: 't', turn: 1 } }]);
  });

  it('may hold more than this release knows', async () => {
    const seen: unknown[] = [];
    await queues.queue(WORK).add('newer', { task: 't', turn: 1, by: 'a newer release', urgency: 9 });
    queues.work(TURNS, record(seen), { concurrency: 1 });
    await until(() => seen.length > 0);
    expect(seen).toEqual([{ id: 'newer', data: { task: 't', turn: 1, by: 'a newer release' } }]);
    expect(logged).toEqual([]);
  });

  it('is never in the log', async () => {
    await queues.queue(WORK).add('unfit', { task: ['s3cret'], turn: 's3cret', s3cret: 1 });
    queues.work(TURNS, record([]), { concurrency: 1 });
    await until(isDone);
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain('s3cret');
  });
});
