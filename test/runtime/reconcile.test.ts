import type { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RUN_QUEUE } from '../../src/runtime/dependencies.ts';
import type { RunJob } from '../../src/runtime/dependencies.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { taskId } from '../support/ids.ts';
import { LONG_MS, until } from '../support/until.ts';
import { dyingAt, hook, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { sampleRun } from './support/sample-run.ts';
import { aTask, plain } from './support/tasks.ts';

const later = aTask('later', (_, { now }) => Promise.resolve({ waitUntil: now() + 3_600_000 }));

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([plain, later]);
});
afterAll(() => open.close());

/** What a flush does to this test's queues, leaving those of other tests alone. */
async function forgetQueues({ queues }: OpenRuntime = open): Promise<void> {
  const redis = new Redis((process.env['REDIS_TEST_URL'] ?? '').replace('unix://', ''));
  const { prefix } = (queues.bullQueues()[0] as { opts: { prefix: string } }).opts;
  const keys = await redis.keys(`${prefix}*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
}

/** Why the jobs of a task ended that are kept, as an operator sees them. */
async function endedJobs(state: 'completed' | 'failed', task_id: string): Promise<(string | undefined)[]> {
  const [queue] = open.queues.bullQueues() as BullQueue[];
  const jobs = (await queue?.getJobs([state])) ?? [];
  return jobs.filter(({ data }) => (data as RunJob).task_id === task_id).map(({ failedReason }) => failedReason);
}

describe('reconciling', () => {
  it('queues again the turns whose jobs were lost, waiting ones with their time, and none that is not owed', async () => {
    const due = await open.submit('plain');
    const waiting = await open.submit('later');
    await open.takeTurn(waiting.task_id);
    const over = await open.submit('plain');
    await open.takeTurn(over.task_id);
    await forgetQueues();
    expect(await open.jobs()).toBe(0);
    expect(await open.runtime.reconcile(0)).toBe(2);
    expect(await open.queues.queue(RUN_QUEUE).counts()).toMatchObject({ waiting: 1, delayed: 1 });
    const worker = await open.another();
    const work = worker.work();
    for await (const _ of open.runtime.follow(due.task_id, 1, AbortSignal.timeout(LONG_MS)));
    await work.stop();
    expect((await open.row(due.task_id)).state).toBe('completed');
  });

  it('leaves alone what has not been owed for long, and what has its job', async () => {
    await open.submit('plain');
    await forgetQueues();
    expect(await open.runtime.reconcile(10_000)).toBe(0);
    expect(await open.jobs()).toBe(0);
    open.clock.nowMs += 10_000;
    expect(await open.runtime.reconcile(10_000)).toBe(1);
    expect(await open.runtime.reconcile(10_000)).toBe(0);
  });

  it('queues a turn anew whose job another release wrote and this one cannot read', async () => {
    const { task_id, turn } = await open.submit('plain');
    const id = `${task_id}-${turn}`;
    await open.queues.queue(RUN_QUEUE).remove(id);
    await open.queues.queue({ name: RUN_QUEUE.name, schema: z.unknown() }).add(id, { id: task_id, turns: [turn] });
    const work = (await open.another()).work();
    await until(async () => {
      const { waiting, active } = await open.queues.queue(RUN_QUEUE).counts();
      return waiting + active === 0;
    });
    expect(await open.row(task_id)).toMatchObject({ state: 'submitted', turn, faults: 0 });
    open.clock.nowMs += 10_000;
    await open.runtime.reconcile(10_000);
    for await (const _ of open.runtime.follow(task_id, 1, AbortSignal.timeout(LONG_MS)));
    await work.stop();
    expect((await open.row(task_id)).state).toBe('completed');
  });

  it('queues a turn again whose job failed and is kept with its reason', async () => {
    const store = { isAway: true };
    const failing = await open.another({
      before: () => (store.isAway ? Promise.reject(new Error('the store is away')) : undefined),
    });
    const { task_id, turn } = await open.submit('plain');
    const work = failing.work();
    await until(async () => (await endedJobs('failed', task_id)).length === 1);
    expect(await endedJobs('failed', task_id)).toEqual(['the store is away']);
    expect(await open.row(task_id)).toMatchObject({ state: 'submitted', turn });
    store.isAway = false;
    open.clock.nowMs += 10_000;
    await open.runtime.reconcile(10_000);
    for await (const _ of open.runtime.follow(task_id, 1, AbortSignal.timeout(LONG_MS)));
    await work.stop();
    expect((await open.row(task_id)).state).toBe('completed');
    expect(await endedJobs('completed', task_id)).toHaveLength(1);
  });

  it('[C.events.4] makes the deliveries that a killed process owed, each once', async () => {
    const { task_id } = await open.submit('plain', {}, { registrations: [hook(), hook()] });
    const hooks = dyingAt('after', 1);
    const doomed = await open.another(hooks);
    void doomed.takeTurn(task_id);
    await hooks.died;
    expect(await open.told(task_id)).toEqual([]);
    open.clock.nowMs += 20_000;
    await Promise.all([open.runtime.reconcile(10_000), open.runtime.reconcile(10_000)]);
    expect(await open.told(task_id)).toHaveLength(2);
    expect((await open.row(task_id)).notify_due_at).toBeNull();
  });

  it('goes on to other tasks when the deliveries of one cannot be made', async () => {
    const [poison, fine] = [taskId('poison'), taskId('fine')];
    const runs = open.store.collection(TaskRuns);
    const notify_due_at = new Date(open.clock.nowMs - 60_000).toISOString();
    const ended = { state: 'completed', run_due_at: null, notify_due_at } as const;
    const [first, second] = [poison, fine].map((task_id, i): TaskRun => ({
      ...sampleRun({ ...ended, task_id, message_key: task_id }),
      events: [{ ...done(i), sequence: 2 }],
    }));
    if (first === undefined || second === undefined) throw new Error('no rows');
    await runs.insert(first);
    await runs.insert(second);
    const { notifier } = open;
    const notify = notifier.notify.bind(notifier);
    notifier.notify = (run, telling) =>
      run.task_id === poison ? Promise.reject(new Error('poison')) : notify(run, telling);
    await open.runtime.reconcile(10_000);
    notifier.notify = notify;
    expect((await open.row(fine)).notify_due_at).toBeNull();
    expect((await open.row(poison)).notify_due_at).not.toBeNull();
    await open.runtime.reconcile(10_000);
    expect((await open.row(poison)).notify_due_at).toBeNull();
  });

  it('goes through a long backlog in bounded sweeps, each from where the last one stopped', async () => {
    const small = await openRuntime([plain]);
    const run_due_at = new Date(small.clock.nowMs - 60_000).toISOString();
    const rows = Array.from({ length: 4500 }, (_, i) => {
      const task_id = taskId(`backlog-${String(i).padStart(5, '0')}`);
      return sampleRun({ task_id, message_key: task_id, run_due_at });
    });
    await small.store.collection(TaskRuns).insertMany(rows);
    const found: number[] = [];
    for (let i = 0; i < 4; i++) found.push(await small.runtime.reconcile(10_000));
    expect(found).toEqual([2000, 2000, 500, 0]);
    expect(await small.jobs()).toBe(4500);
    await forgetQueues(small);
    expect(await small.runtime.reconcile(0)).toBe(4500);
    await small.close();
  });
});

function done(i: number) {
  return {
    kind: 'status' as const,
    state: 'completed' as const,
    timestamp: `2026-01-0${i + 1}T00:00:00.000Z`,
    message: '',
  };
}
