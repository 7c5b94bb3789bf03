import type { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BullQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { QueueSpec, QueueWorker } from '../../../src/platform/queue/queue.ts';
import { until } from '../../support/until.ts';
import { queueOf, record, sharedRedis, useQueueBench } from '../support/queue-bench.ts';

const KEEPING: QueueSpec<unknown> = { ...queueOf('keeping'), keeps: { finished: 3, failed: 5 } };

const bench = useQueueBench();
let queues: BullQueues;
beforeEach(() => {
  queues = bench.open();
});

/** What an operator sees of jobs that have ended, the newest first. */
async function ended(state: 'completed' | 'failed') {
  const queue = (queues.bullQueues() as BullQueue[]).find(({ name }) => name === KEEPING.name);
  return (await queue?.getJobs([state])) ?? [];
}

/** Does what is queued; one whose payload says so fails, or throws. */
function work(): QueueWorker {
  return queues.work(
    KEEPING,
    ({ data }) => {
      const { fails, throws } = data as Record<string, string | undefined>;
      if (throws !== undefined) return Promise.reject(new Error(throws));
      return Promise.resolve(fails === undefined ? undefined : { failed: fails });
    },
    { concurrency: 1 },
  );
}

/** The keys of this test's jobs. */
async function keysOfJobs(): Promise<string[]> {
  const redis = new Redis(sharedRedis);
  const keys = await redis.keys(`${bench.prefix}:${KEEPING.name}:*`);
  await redis.quit();
  return keys.filter((key) => /:(done|bad|worse)-/.test(key));
}

describe('a queue that keeps jobs', () => {
  it('keeps how the newest ended, the failed ones with their reason, and forgets the others', async () => {
    const queue = queues.queue(KEEPING);
    await queue.addMany(Array.from({ length: 5 }, (_, n) => ({ id: `done-${n}-x`, data: { n } })));
    await queue.addMany(Array.from({ length: 4 }, (_, n) => ({ id: `bad-${n}-x`, data: { fails: `reason ${n}` } })));
    await queue.addMany(
      Array.from({ length: 3 }, (_, n) => ({ id: `worse-${n}-x`, data: { throws: 'x'.repeat(600) } })),
    );
    const worker = work();
    await until(async () => (await ended('failed')).some(({ id }) => id?.startsWith('worse-2-x') === true));
    await worker.close(60_000);
    const done = await ended('completed');
    expect(done.map(({ data }) => data as unknown)).toEqual([{ n: 4 }, { n: 3 }, { n: 2 }]);
    const failed = await ended('failed');
    expect(failed.map(({ failedReason }) => failedReason)).toEqual([
      ...['x', 'x', 'x'].map((x) => x.repeat(500)),
      'reason 3',
      'reason 2',
    ]);
    expect(failed[0]).toMatchObject({ name: 'keeping', finishedOn: expect.any(Number) as number });
    expect(await keysOfJobs()).toHaveLength(done.length + failed.length);
  });

  it('takes a job again under the id of one that ended, however it ended', async () => {
    const queue = queues.queue(KEEPING);
    const ends = [{ n: 1 }, { fails: 'not today' }, { throws: 'a fault' }];
    await queue.addMany(ends.map((data, n) => ({ id: `turn-${n}-x`, data })));
    const first = work();
    await until(async () => (await ended('failed')).length === 2 && (await ended('completed')).length === 1);
    await first.close(60_000);
    const seen: unknown[] = [];
    await queue.addMany(ends.map((data, n) => ({ id: `turn-${n}-x`, data })));
    await queue.add('turn-0-x', { n: 'twice' });
    expect((await queue.counts()).waiting).toBe(3);
    queues.work(KEEPING, record(seen), { concurrency: 1 });
    await until(() => seen.length === 3);
    expect(seen).toEqual(ends.map((data, n) => ({ id: `turn-${n}-x`, data })));
  });

  it('writes down what has ended when its worker closes', async () => {
    await queues.queue(KEEPING).add('last-1-x', {});
    let taken = false;
    const worker = queues.work(
      KEEPING,
      () => {
        taken = true;
        return Promise.resolve(undefined);
      },
      { concurrency: 1 },
    );
    await until(() => taken);
    await worker.close(60_000);
    expect((await ended('completed')).map(({ name }) => name)).toEqual(['keeping']);
  });
});
