import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../../../src/directory/caller.ts';
import type { Budgets } from '../../../src/platform/budget/budgets.ts';
import { randomIds } from '../../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { createChangeSignal } from '../../../src/platform/redis/change-signal-redis.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { Logger } from '../../../src/platform/log.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { BullQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { TaskId } from '../../../src/platform/task-id.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import type { StoreHooks, StoreWrite } from '../../support/store-hooks.ts';
import { RUN_QUEUE } from '../../../src/runtime/dependencies.ts';
import type { RegistrationRequest } from '../../../src/runtime/notifier.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import type { Submission } from '../../../src/runtime/submission.ts';
import type { TaskDefinition } from '../../../src/runtime/task-definition.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { organizationId } from '../../support/ids.ts';
import { recordingNotifier, Told } from './recording-notifier.ts';
import type { RecordingNotifier } from './recording-notifier.ts';

export const BUYER: Caller = {
  organization_id: organizationId('org_a'),
  principal_id: 'key_a',
  scopes: ['tasks:read', 'tasks:write'],
};

/** One process, so to speak: a runtime with connections of its own on the shared store and Redis. */
export interface Instance {
  runtime: Runtime;
  notifier: RecordingNotifier;
  queues: BullQueues;
  /** Takes turns from the queue until it is stopped. */
  work(): { stop(): Promise<void> };
  /** Does the turn that the task owes now, if any. */
  takeTurn(task_id: TaskId, signal?: AbortSignal): Promise<void>;
  /** The jobs of the queue of turns. */
  jobs(): Promise<number>;
}

export interface OpenRuntime extends Instance {
  store: Store;
  clock: { nowMs: number; now(): number };
  /** Another process on the same store and Redis; with hooks around its writes, if wanted. */
  another(hooks?: StoreHooks): Promise<Instance>;
  submit(task_type: string, input?: Record<string, unknown>, more?: Partial<Submission>): Promise<TaskRun>;
  /** The row as it stands. */
  row(task_id: TaskId): Promise<TaskRun>;
  /** What the notifier was told of a task, in the order of the events. */
  told(task_id: TaskId): Promise<Told[]>;
  close(): Promise<void>;
}

export const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

/** A webhook registration as a wire would ask for it. */
export function hook(): RegistrationRequest {
  return { channel: 'mcp', config: { url: 'https://buyer.example/hook' }, field: 'push_notification_config' };
}

/**
 * The runtime on a real embedded store and the test run's Redis, with a clock that stands until a test moves it.
 * @param log what the runtime is to log to; default: nowhere.
 * @param budgets what callers may have stored; default: no end of it.
 */
export async function openRuntime(
  tasks: readonly TaskDefinition[],
  log?: Logger,
  budgets?: Budgets,
): Promise<OpenRuntime> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-runtime-'));
  const logger = createLogger('silent');
  const clock = {
    nowMs: Date.now(),
    now() {
      return this.nowMs;
    },
  };
  const prefix = `{runtime-${randomUUID()}}`;
  const connection = process.env['REDIS_TEST_URL'] ?? '';
  const store = createEmbeddedStore({ file: join(dataDir, 'store.db'), logger, clock });
  store.collection(TaskRuns);
  store.collection(Told);
  await store.prepare();
  const runs = store.collection(TaskRuns);
  const closers: (() => Promise<void>)[] = [];

  async function instance(hooks: StoreHooks = {}): Promise<Instance> {
    const seen = withStoreHooks(store, hooks);
    const queues = createQueues({ connection, prefix, logger });
    const changeSignal = createChangeSignal({ connection, prefix, logger });
    const notifier = recordingNotifier(seen, clock);
    const queue = queues.queue(RUN_QUEUE);
    const runtime = await createRuntime({
      ...{ queue, changeSignal, notifier, clock, ids: randomIds, log: log ?? logger },
      runs: seen.collection(TaskRuns),
      tasks: new Map(tasks.map((task) => [task.name, task])),
      budgets,
    });
    closers.push(async () => {
      runtime.close();
      await queues.close();
      await changeSignal.close();
    });
    return {
      ...{ runtime, notifier, queues },
      work() {
        const worker = queues.work(RUN_QUEUE, ({ data }, signal) => runtime.execute(data, signal), { concurrency: 8 });
        return { stop: () => worker.close(0) };
      },
      async takeTurn(task_id, signal = NEVER) {
        const row = await runs.get(task_id);
        if (row !== undefined) await runtime.execute({ task_id, turn: row.turn }, signal);
      },
      async jobs() {
        const { waiting, active, delayed } = await queue.counts();
        return waiting + active + delayed;
      },
    };
  }

  const first = await instance();
  return {
    ...first,
    ...{ store, clock },
    another: instance,
    async submit(task_type, input = {}, more = {}) {
      return (await first.runtime.submit({ caller: BUYER, task_type, input, ...more })).run;
    },
    async row(task_id) {
      const row = await runs.get(task_id);
      if (row === undefined) throw new Error(`there is no task ${task_id}`);
      return row;
    },
    async told(task_id) {
      const { rows } = await store.collection(Told).find({ where: { task_id }, limit: 1000 });
      return rows.sort((a, b) => a.sequence - b.sequence);
    },
    async close() {
      for (const close of closers.splice(0).reverse()) await close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Hooks that stop a process dead at its n-th write: nothing after that moment happens, as after `kill -9`. `died` tells
 * the collection that was being written.
 */
export function dyingAt(moment: 'before' | 'after', n: number): StoreHooks & { died: Promise<string> } {
  let tell: (collection: string) => void = () => undefined;
  const died = new Promise<string>((resolve) => (tell = resolve));
  let seen = 0;
  const die = ({ collection }: StoreWrite): Promise<void> => {
    tell(collection);
    return new Promise(() => undefined);
  };
  return {
    died,
    before: (write) => (++seen > n || (moment === 'before' && seen === n) ? die(write) : undefined),
    after: (write) => (moment === 'after' && seen >= n ? die(write) : undefined),
  };
}
