import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { createQueues } from '../../src/platform/queue-bullmq.ts';
import type { BullQueues } from '../../src/platform/queue-bullmq.ts';
import { createOutageLog, openRedis } from '../../src/platform/redis-connection.ts';
import type { JobHandler } from '../../src/platform/queue.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import type { OwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';

const url = process.env['REDIS_TEST_URL'] ?? '';
const logger = createLogger('silent');
let prefix: string;
let opened: BullQueues[];
let queues: BullQueues;
let redises: OwnRedis[];

beforeEach(() => {
  prefix = `test-${randomUUID()}`;
  opened = [];
  redises = [];
  queues = open();
});

afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await Promise.all(redises.map((redis) => redis.stop()));
});

describe('a job', () => {
  it('reaches a worker with its id and data, and leaves nothing behind when done', async () => {
    const queue = queues.queue<{ n: number }>('work');
    const seen: unknown[] = [];
    queues.work<{ n: number }>('work', record(seen), { concurrency: 1 });
    await queue.add('job-1', { n: 1 });
    await until(async () => seen.length === 1 && (await isEmpty('work')));
    expect(seen).toEqual([{ id: 'job-1', data: { n: 1 } }]);
  });

  it('is not queued twice under one id while it is there, and may come again after it is done', async () => {
    const queue = queues.queue('work');
    await queue.add('same', { n: 1 });
    await queue.add('same', { n: 2 });
    await queue.addMany([{ id: 'same', data: { n: 3 } }]);
    expect(await queue.counts()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
    const seen: unknown[] = [];
    queues.work('work', record(seen), { concurrency: 1 });
    await until(() => isEmpty('work'));
    await queue.add('same', { n: 4 });
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      { id: 'same', data: { n: 1 } },
      { id: 'same', data: { n: 4 } },
    ]);
  });

  it('stays out of the way until its delay has passed', async () => {
    const queue = queues.queue('work');
    await queue.add('later', {}, { delayMs: 60_000 });
    await queue.add('soon', {}, { delayMs: 50 });
    const seen: { id: string }[] = [];
    queues.work('work', record(seen), { concurrency: 1 });
    await until(() => seen.length === 1);
    expect(seen[0]?.id).toBe('soon');
    expect(await queue.counts()).toMatchObject({ delayed: 1 });
  });

  it('of urgent priority overtakes', async () => {
    await queues.queue('work').addMany([
      { id: 'late', data: {}, options: { priority: 9 } },
      { id: 'early', data: {}, options: { priority: 1 } },
      { id: 'first', data: {} },
    ]);
    const seen: { id: string }[] = [];
    queues.work('work', record(seen), { concurrency: 1 });
    await until(() => seen.length === 3);
    expect(seen.map(({ id }) => id)).toEqual(['first', 'early', 'late']);
  });

  it('can be removed while it waits or is delayed; a running one stays', async () => {
    const queue = queues.queue('work');
    await queue.addMany([
      { id: 'job-waiting', data: {} },
      { id: 'job-delayed', data: {}, options: { delayMs: 60_000 } },
    ]);
    await Promise.all([queue.remove('job-waiting'), queue.remove('job-delayed'), queue.remove('unknown')]);
    expect(await isEmpty('work')).toBe(true);
    const gate = gated();
    queues.work('work', gate.handler, { concurrency: 1 });
    await queue.add('running', {});
    await gate.entered;
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
    queues.work('work', handler, { concurrency: 1 });
    await queues.queue('work').add('bad', {});
    await until(async () => seen.length > 0 && (await isEmpty('work')));
    expect(seen).toEqual(['bad']);
  });

  it('comes again after the time its handler parks it for, under the same id, as often as it asks', async () => {
    const seen: string[] = [];
    const handler: JobHandler<unknown> = (job) => {
      seen.push(job.id);
      return Promise.resolve(seen.length < 4 ? { parkMs: 30 } : undefined);
    };
    queues.work('work', handler, { concurrency: 1 });
    await queues.queue('work').add('parked', {});
    await until(async () => seen.length === 4 && (await isEmpty('work')));
    expect(seen).toEqual(['parked', 'parked', 'parked', 'parked']);
  });

  it('parked for long is counted as delayed, and adding it again does nothing', async () => {
    const seen: unknown[] = [];
    const handler: JobHandler<unknown> = (job) => {
      seen.push(job.data);
      return Promise.resolve({ parkMs: 60_000 });
    };
    const queue = queues.queue('work');
    queues.work('work', handler, { concurrency: 1 });
    await queue.add('parked', { n: 1 });
    await until(async () => (await queue.counts()).delayed === 1);
    await queue.add('parked', { n: 2 });
    expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 1, failed: 0 });
    expect(seen).toEqual([{ n: 1 }]);
  });
});

it.each(['', '17', 'a:b', 'a b', 'delayed', 'wait', 'ä'])('refuses the job id %j', async (id) => {
  await expect(queues.queue('work').add(id, {})).rejects.toThrow(TypeError);
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
    await queues.queue('work').addMany(Array.from({ length: 2500 }, (_, n) => ({ id: `job-${n}`, data: {} })));
    queues.work('work', handler, { concurrency: 7 });
    await until(() => done === 2500);
    expect(most).toBe(7);
  });

  it('that closes lets running jobs end within the grace, and takes no new ones', async () => {
    const gate = gated();
    const worker = queues.work('work', gate.handler, { concurrency: 1 });
    const queue = queues.queue('work');
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
    const handler: JobHandler<unknown> = (job, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(job.id);
          reject(new Error('stopped'));
        });
      });
    const leaving = queues.work('work', handler, { concurrency: 3 });
    const queue = queues.queue('work');
    await queue.addMany(['a', 'b', 'c'].map((id) => ({ id, data: { id } })));
    await until(async () => (await queue.counts()).active === 3);
    const seen: { id: string }[] = [];
    await leaving.close(0);
    expect(aborted.sort()).toEqual(['a', 'b', 'c']);
    open().work('work', record(seen), { concurrency: 1 });
    // Their locks would have held them for 10 s.
    await until(() => seen.length === 3, 5000);
  });

  it('that closes hands back a job even when its handler never notices', async () => {
    const deaf = queues.work('work', () => new Promise(() => undefined), { concurrency: 1 });
    const queue = queues.queue('work');
    await queue.add('deaf', {});
    await until(async () => (await queue.counts()).active === 1);
    await deaf.close(0);
    const seen: unknown[] = [];
    open().work('work', record(seen), { concurrency: 1 });
    await until(() => seen.length === 1, 5000);
  });

  it('that is idle closes at once, and closing twice does nothing', async () => {
    const worker = queues.work('work', record([]), { concurrency: 1 });
    await Promise.all([worker.close(60_000), worker.close(0)]);
    await worker.close(0);
  });

  it('that was killed loses nothing: another takes its jobs when their locks have run out', async () => {
    const script = new URL('../support/queue-worker.ts', import.meta.url).pathname;
    const args = ['--import', 'tsx', script, url, prefix, 'work'];
    const killed = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await queues.queue('work').add('orphan', {});
    await once(killed.stdout, 'data');
    const exited = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exited;
    const seen: { id: string }[] = [];
    queues.work('work', record(seen), { concurrency: 1 });
    await until(() => seen.length === 1);
    expect(seen[0]?.id).toBe('orphan');
  });
});

describe('a Redis that goes away', () => {
  it('is waited for: jobs added before are done after it comes back, on the connections there are', async () => {
    const redis = await ownRedis();
    const away = open(redis.url);
    const seen: { id: string }[] = [];
    away.work('work', record(seen), { concurrency: 1 });
    const queue = away.queue('work');
    await queue.add('before', {});
    await queue.add('parked', {}, { delayMs: 300 });
    await until(() => seen.length === 1);
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
    const redis = await ownRedis();
    const lines: unknown[] = [];
    const heard = pino(
      { level: 'info', base: null },
      { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) },
    );
    const away = open(redis.url, heard);
    away.work('work', record([]), { concurrency: 1 });
    await away.ping();
    await redis.crash();
    const refused = await Promise.allSettled([away.queue('work').add('a', {}), away.ping(), away.wasFlushed()]);
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
    const redis = await ownRedis();
    const away = open(redis.url);
    const gate = gated();
    const worker = away.work('work', gate.handler, { concurrency: 1 });
    await away.queue('work').add('running', {});
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
    const never = open('unix:///nonexistent/redis.sock');
    never.work('work', record([]), { concurrency: 1 });
    await expect(never.ping()).rejects.toThrow();
  });
});

describe('a flushed Redis', () => {
  it('is told to exactly one of many racing callers, each time', async () => {
    const redis = await ownRedis();
    const askers = Array.from({ length: 8 }, () => open(redis.url));
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([...askers, ...askers].map((asker) => asker.wasFlushed()));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await askers[0]?.wasFlushed()).toBe(false);
      await flush(redis.url);
    }
  });

  it('does not stop workers: jobs queued again are done, even those that were running', async () => {
    const redis = await ownRedis();
    const flushed = open(redis.url);
    const gate = gated();
    flushed.work('work', gate.handler, { concurrency: 2 });
    const queue = flushed.queue('work');
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

it('shows BullMQ’s own queues to a console, for the names asked for so far', () => {
  expect(queues.bullQueues()).toEqual([]);
  queues.queue('runs');
  queues.queue('deliveries');
  queues.queue('runs');
  expect(queues.bullQueues()).toMatchObject([{ name: 'runs' }, { name: 'deliveries' }]);
});

function open(connection = url, log = logger): BullQueues {
  const created = createQueues({ connection, prefix, logger: log });
  opened.push(created);
  return created;
}

async function ownRedis(): Promise<OwnRedis> {
  const redis = await startOwnRedis();
  redises.push(redis);
  return redis;
}

function record(seen: unknown[]): JobHandler<unknown> {
  return (job) => {
    seen.push(job);
    return Promise.resolve(undefined);
  };
}

/** A handler that ends only once the gate is open. */
function gated(): { handler: JobHandler<unknown>; entered: Promise<void>; open: () => void; runs: () => number } {
  let runs = 0;
  let enter: () => void = () => undefined;
  let open: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => (enter = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  const handler: JobHandler<unknown> = async () => {
    runs++;
    enter();
    await opened;
    return undefined;
  };
  return { handler, entered, open, runs: () => runs };
}

async function isEmpty(name: string): Promise<boolean> {
  const counts = await queues.queue(name).counts();
  return Object.values(counts).every((count) => count === 0);
}

async function flush(connection: string): Promise<void> {
  const redis = openRedis(connection, createOutageLog(logger, 'test'));
  await redis.flushall();
  redis.disconnect();
}
