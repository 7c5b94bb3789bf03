import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BullQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { JobHandler } from '../../../src/platform/queue/queue.ts';
import { bundle } from '../../support/bundle.ts';
import { until } from '../../support/until.ts';
import { gated, record, sharedRedis, useQueueBench, WORK } from '../support/queue-bench.ts';

const bench = useQueueBench();
let queues: BullQueues;

beforeEach(() => {
  queues = bench.open();
});

describe('a worker', () => {
  it('runs as many jobs at once as it was told, and no more', async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    const handler: JobHandler<unknown> = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      done++;
      return undefined;
    };
    await queues.queue(WORK).addMany(Array.from({ length: 2500 }, (_, n) => ({ id: `job-${n}`, data: {} })));
    queues.work(WORK, handler, { concurrency: 7 });
    await until(() => done === 2500);
    expect(most).toBe(7);
  });

  it('that closes lets running jobs end within the grace, and takes no new ones', async () => {
    const gate = gated();
    const worker = queues.work(WORK, gate.handler, { concurrency: 1 });
    const queue = queues.queue(WORK);
    await queue.add('running', {});
    await gate.entered;
    await queue.add('waiting', {});
    const closing = worker.close(10_000);
    gate.open();
    await closing;
    expect(await queue.counts()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
  });

  it('that closes aborts what outlasts the grace and hands it to another worker at once', async () => {
    const aborted: string[] = [];
    let entered = 0;
    const handler: JobHandler<unknown> = (job, signal) =>
      new Promise((_, reject) => {
        entered++;
        signal.addEventListener('abort', () => {
          aborted.push(job.id);
          reject(new Error('stopped'));
        });
      });
    const leaving = queues.work(WORK, handler, { concurrency: 3 });
    const queue = queues.queue(WORK);
    await queue.addMany(['a', 'b', 'c'].map((id) => ({ id, data: { id } })));
    await until(() => entered === 3);
    const seen: { id: string }[] = [];
    await leaving.close(0);
    expect(aborted.sort()).toEqual(['a', 'b', 'c']);
    bench.open().work(WORK, record(seen), { concurrency: 1 });
    // Their locks would have held them for 10 s.
    await until(() => seen.length === 3);
  });

  it('that closes hands back a job even when its handler never notices', async () => {
    const deaf = queues.work(WORK, () => new Promise(() => undefined), { concurrency: 1 });
    const queue = queues.queue(WORK);
    await queue.add('deaf', {});
    await until(async () => (await queue.counts()).active === 1);
    await deaf.close(0);
    const seen: unknown[] = [];
    bench.open().work(WORK, record(seen), { concurrency: 1 });
    await until(() => seen.length === 1);
  });

  it('that is idle closes at once, and closing twice does nothing', async () => {
    const worker = queues.work(WORK, record([]), { concurrency: 1 });
    await Promise.all([worker.close(60_000), worker.close(0)]);
    await worker.close(0);
  });

  it('that was killed loses nothing: another takes its jobs when their locks have run out', async () => {
    const script = await bundle('test/platform/support/queue-worker.ts');
    const args = [script, sharedRedis, bench.prefix, 'work'];
    const killed = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await queues.queue(WORK).add('orphan', {});
    await once(killed.stdout, 'data');
    const exited = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exited;
    const seen: { id: string }[] = [];
    queues.work(WORK, record(seen), { concurrency: 1 });
    await until(() => seen.length === 1);
    expect(seen[0]?.id).toBe('orphan');
  });
});
