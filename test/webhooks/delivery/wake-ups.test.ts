import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import type { GateEnd } from '../../../src/platform/redis/destination-gate.ts';
import { DEFAULT_TARGET_GATE_SETTINGS } from '../../../src/platform/redis/target-gate.ts';
import type { TargetGate } from '../../../src/platform/redis/target-gate.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { gateTargetOf } from '../../../src/webhooks/delivery/gate-target.ts';
import { deliveryQueues } from '../../../src/webhooks/delivery/lanes.ts';
import { attemptJob } from '../../../src/webhooks/delivery/queue-deliveries.ts';
import { createPauses, PausedDestinations } from '../../../src/webhooks/delivery/paused-destinations.ts';
import { createWakeUps, WAKE_UP_QUEUE } from '../../../src/webhooks/delivery/wake-ups.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import type { OwnRedis } from '../../support/own-redis.ts';
import { until } from '../../support/until.ts';
import { makeKnown } from '../support/known-origin.ts';
import { openReceiver } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

const WAITING = 30;
/** For so long by the sender's clock, which stands still, the target is closed; so often, by the wall's, it is looked at. */
const CLOSED_MS = 50;
const { failuresToOpen } = DEFAULT_TARGET_GATE_SETTINGS;

let redis: OwnRedis;
let gate: TargetGate;
let sender: Sender;
let receiver: Receiver;
beforeEach(async () => {
  redis = await startOwnRedis();
  const at = { connection: redis.url, prefix: `t-${randomUUID()}`, logger: createLogger('error') };
  gate = createTargetGate({ ...at, settings: { openMs: CLOSED_MS } });
  receiver = await openReceiver();
  const queues = createQueues(at);
  sender = await openSender({ gate, queues });
  await makeKnown(gate, receiver.url(), sender.clock.now());
  cleanUp.push(
    () => redis.stop(),
    () => gate.close(),
    () => receiver.close(),
    () => queues.close(),
    () => sender.close(),
  );
});

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

function start(): void {
  const worker = sender.webhooks.start({ concurrency: 16 });
  cleanUp.push(() => worker.close(1000));
}

async function recorded(): Promise<Delivery> {
  const run = await storedRun(sender, [registration(receiver.url())]);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  return sender.deliveryOf(run.task_id);
}

/** Deliveries that became due one after the other, at a target that these ends of requests have closed. */
async function waiting(...ends: Pick<GateEnd, 'outcome' | 'pauseMs'>[]): Promise<Delivery[]> {
  const rows: Delivery[] = [];
  for (let n = 0; n < WAITING; n++) {
    sender.clock.advance(1);
    rows.push(await recorded());
  }
  await close(rows[0], ends);
  return rows;
}

/** Ends so many requests to the target of a delivery. */
async function close(row: Delivery | undefined, ends: readonly Pick<GateEnd, 'outcome' | 'pauseMs'>[]): Promise<void> {
  if (row === undefined) throw new Error('nothing waits');
  const target = gateTargetOf(row);
  const nowMs = sender.clock.now();
  for (const end of ends) {
    const verdict = await gate.enter(target, nowMs);
    if (!verdict.allowed) throw new Error(`refused: ${verdict.reason}`);
    await gate.leave(target, verdict.permit, { ...end, nowMs, tookMs: 1 });
  }
}

const FAILED = { outcome: 'failed' } as const;
const pause = (pauseMs: number) => ({ outcome: 'ok', pauseMs }) as const;

/** Jobs of any kind, by queue. */
async function jobs(): Promise<{ attempts: number; wakeUps: number }> {
  const { prompt, late } = lanes();
  const all = await Promise.all([prompt.counts(), late.counts(), wakeUpQueue().counts()]);
  const [a = 0, b = 0, wakeUps = 0] = all.map(({ waiting: now, active, delayed }) => now + active + delayed);
  return { attempts: a + b, wakeUps };
}

const lanes = () => deliveryQueues(sender.dependencies.queues);
const wakeUpQueue = () => sender.dependencies.queues.queue(WAKE_UP_QUEUE);

const delivered = (count = WAITING) =>
  until(async () => (await sender.deliveries.count({ state: 'delivered' })) === count);

describe('behind a target that is closed', () => {
  it('waits one wake-up, and rows say what is owed; when it opens the oldest is the probe, and then all is sent', async () => {
    const rows = await waiting(...Array.from({ length: failuresToOpen }, () => FAILED));
    start();
    await until(async () => {
      const { attempts, wakeUps } = await jobs();
      return attempts === 0 && wakeUps === 1;
    });
    expect(receiver.received).toHaveLength(0);
    for (const row of rows) expect(await sender.deliveryOf(row.task_id)).toEqual(row);
    sender.clock.advance(CLOSED_MS + 1);
    await delivered();
    expect(receiver.received).toHaveLength(WAITING);
    expect(receiver.request(1).body['task_id']).toBe(rows[0]?.task_id);
    await until(async () => (await jobs()).wakeUps === 0);
  });

  it('[W17] a task’s events keep their order when it opens', async () => {
    const tasks = 10;
    const told = (state: 'working' | 'completed') => ({ state });
    const [first] = await waiting();
    for (let n = 0; n < tasks; n++) {
      const run = await storedRun(sender, [registration(receiver.url())]);
      await sender.webhooks.notifier.notify(withStatuses(run, told('working'), told('completed')));
    }
    await close(
      first,
      Array.from({ length: failuresToOpen }, () => FAILED),
    );
    start();
    await until(async () => (await jobs()).attempts === 0);
    sender.clock.advance(CLOSED_MS + 1);
    await delivered(WAITING + 2 * tasks);
    const seen = new Map<unknown, string>();
    for (const { body } of receiver.received) {
      seen.set(body['task_id'], `${seen.get(body['task_id']) ?? ''} ${String(body['status'])}`);
    }
    expect(new Set(seen.values())).toEqual(new Set([' working', ' working completed']));
  });

  it('nothing is lost when Redis forgets everything', async () => {
    await waiting(pause(CLOSED_MS));
    start();
    await until(async () => (await jobs()).attempts === 0);
    const direct = new Redis(redis.url.replace('unix://', ''));
    await direct.flushall();
    await direct.quit();
    await sender.webhooks.reconcile(0);
    await delivered();
  });

  it('the reconciler queues one wake-up for all that is overdue, and what is due later for then', async () => {
    const rows = await waiting(pause(3_600_000));
    for (const row of rows) await lanes().prompt.remove(attemptJob(row).id);
    const later = rows.at(-1);
    if (later === undefined) throw new Error('nothing waits');
    const next_attempt_at = new Date(sender.clock.now() + 60_000).toISOString();
    await sender.deliveries.update(later.delivery_id, (row) => ({ ...row, next_attempt_at }));
    sender.clock.advance(10_000);
    await sender.webhooks.reconcile(5_000);
    expect(await jobs()).toEqual({ attempts: 0, wakeUps: 1 });
    await sender.webhooks.reconcile(0);
    expect(await jobs()).toEqual({ attempts: 1, wakeUps: 1 });
  });

  it('waits without a word to its gate, once that has refused', async () => {
    const rows = await waiting(pause(3_600_000));
    const enter = vi.spyOn(gate, 'enter');
    for (const row of rows) {
      expect(await sender.webhooks.attempt(attemptJob(row).data, new AbortController().signal)).toBeUndefined();
    }
    expect(enter.mock.calls.length).toBeLessThan(WAITING);
    expect((await jobs()).wakeUps).toBe(1);
  });
});

it('when Redis has forgotten everything, what is due at an open target too comes to its gate by one wake-up', async () => {
  await waiting();
  const direct = new Redis(redis.url.replace('unix://', ''));
  await direct.flushall();
  await direct.quit();
  await sender.webhooks.reconcile(0);
  expect(await jobs()).toEqual({ attempts: 0, wakeUps: 1 });
  start();
  await delivered();
});

it('what is due at a target that has opened is queued by its wake-up alone, where it is more than that takes at once', async () => {
  const rows = await waiting(...Array.from({ length: failuresToOpen }, () => FAILED));
  for (const row of rows) await lanes().prompt.remove(attemptJob(row).id);
  sender.clock.advance(10_000);
  for (let sweep = 0; sweep < 2; sweep++) {
    // Left to its wake-up, and not queued again.
    expect(await sender.webhooks.reconcile(5_000)).toBe(0);
    expect(await jobs()).toEqual({ attempts: 0, wakeUps: 1 });
  }
  start();
  await delivered();
});

it('what a target takes at once is queued, and queued again only after a while', async () => {
  const rows = await waiting(...Array.from({ length: failuresToOpen }, () => FAILED));
  sender.clock.advance(CLOSED_MS + 1);
  const [oldest] = rows;
  if (oldest === undefined) throw new Error('nothing waits');
  const { prompt, late } = lanes();
  for (const row of rows) await prompt.remove(attemptJob(row).id);
  const added: string[] = [];
  const watched: typeof prompt = {
    ...prompt,
    addMany: async (queued) => {
      added.push(...queued.map(({ id }) => id));
      await prompt.addMany(queued);
    },
  };
  const wakeUps = createWakeUps({
    ...sender.dependencies,
    ...{ gate, lanes: { prompt: watched, late }, deliveries: sender.deliveries, queue: wakeUpQueue(), random: () => 0 },
    pauses: createPauses({ rows: sender.store.collection(PausedDestinations), clock: sender.clock }),
  });
  const target = gateTargetOf(oldest);
  // One at a time is tried after failures.
  expect(await wakeUps.wake(target)).toEqual({ parkMs: 100 });
  expect(await wakeUps.wake(target)).toEqual({ parkMs: expect.any(Number) as number });
  expect(new Set(added)).toEqual(new Set([attemptJob(oldest).id]));
  await close(oldest, [{ outcome: 'accepted' }]);
  expect(await wakeUps.wake(target)).toBeUndefined();
  expect(new Set(added)).toEqual(new Set(rows.map((row) => attemptJob(row).id)));
  expect((await jobs()).attempts).toBe(WAITING);
});

it('a row of 0.1.0, which no index knows the target of, waits in its lane, and its next attempt says it', async () => {
  const [row] = await waiting(pause(1000));
  if (row === undefined) throw new Error('nothing waits');
  await sender.deliveries.update(row.delivery_id, ({ target: _target, ...old }) => old);
  const old = await sender.deliveryOf(row.task_id);
  expect(old).not.toHaveProperty('target');
  expect(attemptJob(old).data).not.toHaveProperty('target');
  const waits = await sender.webhooks.attempt(attemptJob(old).data, new AbortController().signal);
  expect(waits).toMatchObject({ parkMs: expect.any(Number) as number });
  expect((await lanes().late.counts()).delayed).toBe(0);
  sender.clock.advance(1001);
  expect(await sender.attempt(old)).toMatchObject({ state: 'delivered', target: row.target });
});
