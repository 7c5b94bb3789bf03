import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { QueueWorker } from '../../../src/platform/queue/queue.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import { endRegistrations } from '../../../src/runtime/end-registrations.ts';
import { transition } from '../../../src/runtime/transition.ts';
import type { NewEvent } from '../../../src/runtime/transition.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { until } from '../../support/until.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

const SEED = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const WORKING: NewEvent = { state: 'working', message: 'working' };
const COMPLETED: NewEvent = { state: 'completed', message: 'completed' };

/** The writes to the store since the test began, each as collection and kind. */
let writes: string[] = [];
let failing: ((collection: string) => boolean) | undefined;
let isStopped = false;
let dataDir: string;
let sender: Sender;
let receiver: Receiver;
let worker: QueueWorker;
/** One that has patience without end, so that no test is about how fast a receiver is. */
let webhooks: Webhooks;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mba-first-attempts-'));
  const store = await openStore({ dataDir, mongodbUrl: undefined, logger: createLogger('silent') });
  sender = await openSender({
    store: withStoreHooks(store, {
      before({ collection, kind }) {
        if (failing?.(collection) === true) throw new Error('the store is away');
        writes.push(`${collection} ${kind}`);
      },
    }),
    patienceMs: 3_600_000,
    suspensions: { areWebhooksStopped: () => Promise.resolve(isStopped) },
  });
});
afterAll(async () => {
  await sender.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  receiver = await openReceiver();
  webhooks = sender.webhooks;
  worker = webhooks.start({ concurrency: 4 });
});
afterEach(async () => {
  [failing, isStopped] = [undefined, false];
  await worker.close(10_000);
  await receiver.close();
});

/** A task that tells this receiver of its events. */
function begun(changes: Partial<TaskRun> = {}): Promise<TaskRun> {
  return storedRun(sender, [registration(receiver.url())], { webhook_seed: SEED, ...changes });
}

/** From here on this process has no patience at all. */
async function losePatience(): Promise<void> {
  await worker.close(10_000);
  webhooks = createWebhooks({ ...sender.dependencies, patienceMs: 0 });
  worker = webhooks.start({ concurrency: 4 });
}

/** Writes an event of a task in this process. */
async function move({ task_id }: TaskRun, event: NewEvent, patch = {}): Promise<TaskRun> {
  const changeSignal = { publish: () => Promise.resolve() };
  const deps = { ...sender.dependencies, ...{ runs: sender.runs, notifier: webhooks.notifier, changeSignal } };
  const moved = await transition(deps as never, task_id, () => ({ event, patch }));
  if (moved === undefined) throw new Error('it was not moved');
  return moved;
}

const rows = ({ task_id }: TaskRun) => sender.deliveriesOf(task_id);
const states = async (run: TaskRun) => (await rows(run)).map(({ state }) => state);
const isTold = async ({ task_id }: TaskRun) => (await sender.runOf(task_id)).notify_due_at === null;
const queued = async () => {
  const counts = await Promise.all(Object.values(sender.lanes).map((lane) => lane.counts()));
  return counts.reduce((sum, { waiting, active, delayed }) => sum + waiting + active + delayed, 0);
};

/** A receiver that keeps requests of this status waiting, until they are let go. */
function holding(state: string): { letGo: (code?: number) => void } {
  const held: ServerResponse[] = [];
  let isLetGo: number | undefined;
  receiver.answer = (response, _n, { body }) => {
    if (body['status'] !== state || isLetGo !== undefined) response.writeHead(isLetGo ?? 204).end();
    else held.push(response);
  };
  return {
    letGo(code = 204) {
      isLetGo = code;
      for (const response of held) response.writeHead(code).end();
    },
  };
}

describe('an event that a worker has written', () => {
  it('[W20] is sent from memory, and its delivery inserted with the answer: one write, and no job', async () => {
    const run = await begun();
    writes = [];
    await move(run, WORKING);
    await move(run, COMPLETED);
    await until(() => isTold(run));
    expect((await rows(run)).map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['delivered', 1],
      ['delivered', 1],
    ]);
    expect(receiver.received.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
    expect(writes.filter((write) => write.startsWith('deliveries'))).toEqual([
      'deliveries insert',
      'deliveries insert',
    ]);
    expect(await queued()).toBe(0);
  });

  it('[W20] tells the next write how far it is told', async () => {
    const run = await begun();
    await move(run, WORKING);
    await until(() => isTold(run));
    const { notified_sequence, notify_due_at } = await move(run, COMPLETED, { notified_sequence: 2 });
    expect([notified_sequence, notify_due_at]).toEqual([2, expect.any(String)]);
    await until(() => isTold(run));
  });

  it('[W20] [C.events.7] that lasts long shows as owed meanwhile, and nobody else makes its attempt', async () => {
    await losePatience();
    const { letGo } = holding('working');
    const run = await begun();
    await move(run, WORKING);
    await until(async () => (await states(run)).length > 0);
    expect(await rows(run)).toMatchObject([{ state: 'pending', attempts: [] }]);
    await until(() => isTold(run));
    await sender.webhooks.reconcile(10_000);
    expect(await queued()).toBe(0);
    await receiver.arrived(1);
    letGo();
    await until(async () => (await states(run)).join() === 'delivered');
    expect(receiver.received).toHaveLength(1);
  });

  it('[W17] [W20] waits for the answer to the one before, and is owed and queued when that lasts', async () => {
    await losePatience();
    const { letGo } = holding('working');
    const run = await begun();
    await move(run, WORKING);
    await move(run, COMPLETED);
    await until(async () => (await states(run)).join() === 'pending,pending');
    await receiver.arrived(1);
    expect(receiver.received.map(({ body }) => body['status'])).toEqual(['working']);
    letGo();
    await until(async () => (await states(run)).join() === 'delivered,delivered');
    expect(receiver.received.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
  });

  it('[W20] is owed and queued where webhooks are stopped', async () => {
    isStopped = true;
    const run = await begun();
    await move(run, WORKING);
    await until(() => isTold(run));
    expect(await states(run)).toEqual(['pending']);
    expect(receiver.received).toEqual([]);
  });

  it('[W7] [W20] is tried again when its receiver fails, with the same bytes', async () => {
    receiver.answer = status(503);
    const run = await begun();
    await move(run, WORKING);
    await until(() => isTold(run));
    const [row] = await rows(run);
    expect(row).toMatchObject({ state: 'pending', attempts: [{ attempt: 1, http_status_code: 503 }] });
    receiver.answer = status(204);
    if (row !== undefined) await sender.attemptWhenDue(row);
    await until(async () => (await states(run)).join() === 'delivered');
    expect(new Set(receiver.received.map(({ rawBody }) => rawBody.toString())).size).toBe(1);
  });

  it('[W20] of a task of 0.1.0, whose row has no seed, is stored before it is sent', async () => {
    const run = await begun({ webhook_seed: undefined });
    writes = [];
    await move(run, WORKING);
    expect(writes.find((write) => write.startsWith('deliveries'))).toBe('deliveries insertMany');
    await until(async () => (await states(run)).join() === 'delivered');
  });

  it('[W20] stays owed while the store does not take its delivery, and is told then under the same key', async () => {
    const run = await begun();
    failing = (collection) => collection === 'deliveries';
    const moved = await move(run, WORKING);
    await receiver.arrived(1);
    await worker.close(10_000);
    failing = undefined;
    expect(await isTold(run)).toBe(false);
    expect(await rows(run)).toEqual([]);
    worker = webhooks.start({ concurrency: 4 });
    await webhooks.notifier.notify(moved);
    await until(async () => (await states(run)).join() === 'delivered');
    expect(new Set(receiver.received.map(({ rawBody }) => rawBody.toString())).size).toBe(1);
  });
});

it('[W20] a process has only so many first attempts on their way: of more, the row comes first', async () => {
  const { letGo } = holding('working');
  await worker.close(10_000);
  worker = webhooks.start({ concurrency: 1, firstAttempts: 2 });
  const runs = [await begun(), await begun(), await begun()];
  for (const run of runs) await move(run, WORKING);
  expect(await Promise.all(runs.map((run) => states(run)))).toEqual([[], [], ['pending']]);
  letGo();
  await until(
    async () => (await Promise.all(runs.map((run) => states(run)))).flat().join() === 'delivered,delivered,delivered',
  );
});

describe('while a first attempt is on its way', () => {
  it('[W20] another process that finds the event makes the same delivery, and the answer is recorded once', async () => {
    const { letGo } = holding('working');
    const run = await begun();
    const moved = await move(run, WORKING);
    await receiver.arrived(1);
    const other = createWebhooks(sender.dependencies);
    await other.notifier.notify(moved);
    expect(await rows(run)).toMatchObject([{ state: 'pending', attempts: [] }]);
    letGo();
    await until(async () => (await states(run)).join() === 'delivered');
    await until(() => isTold(run));
    expect((await rows(run))[0]?.attempts).toHaveLength(1);
    expect(new Set(receiver.received.map(({ rawBody }) => rawBody.toString())).size).toBe(1);
    expect(receiver.received[0]?.body['idempotency_key']).toBe((await rows(run))[0]?.idempotency_key);
  });

  it.each([
    [204, 'delivered'],
    [500, 'ended'],
  ])('[W6.ended] [W20] and its registration ends, it still arrives and is recorded: %d', async (code, state) => {
    const { letGo } = holding('working');
    const run = await begun();
    await move(run, WORKING);
    await receiver.arrived(1);
    await endRegistrations({ ...sender, notifier: webhooks.notifier }, run.task_id, () => true);
    letGo(code);
    await until(async () => ((await rows(run))[0]?.attempts.length ?? 0) === 1);
    expect(await rows(run)).toMatchObject([{ state, next_attempt_at: null, attempts: [{ http_status_code: code }] }]);
    await until(() => isTold(run));
  });

  it('[W6.ended] [W20] and its registration ends, the event behind it is never sent', async () => {
    const { letGo } = holding('working');
    const run = await begun();
    await move(run, WORKING);
    await receiver.arrived(1);
    await move(run, COMPLETED);
    await endRegistrations({ ...sender, notifier: webhooks.notifier }, run.task_id, () => true);
    letGo();
    await until(() => isTold(run));
    await until(async () => (await states(run)).join() === 'delivered,ended');
    expect(receiver.received).toHaveLength(1);
  });

  it('[W6] [W20] and its receiver answers 410, the event behind it is never sent', async () => {
    const { letGo } = holding('working');
    const run = await begun();
    await move(run, WORKING);
    await receiver.arrived(1);
    await move(run, COMPLETED);
    letGo(410);
    await until(async () => (await states(run)).join() === 'gone,ended');
    expect(receiver.received).toHaveLength(1);
  });

  it('[W20] and its process stops, it is broken off, owed and queued: a later one sends the same bytes', async () => {
    const { letGo } = holding('working');
    const run = await begun();
    await move(run, WORKING);
    await receiver.arrived(1);
    await worker.close(0);
    expect(await rows(run)).toMatchObject([{ state: 'pending', attempts: [] }]);
    expect(await isTold(run)).toBe(true);
    letGo();
    worker = webhooks.start({ concurrency: 4 });
    await until(async () => (await states(run)).join() === 'delivered');
    expect(new Set(receiver.received.map(({ rawBody }) => rawBody.toString())).size).toBe(1);
  });
});
