import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import type { TargetGate } from '../../../src/platform/redis/target-gate.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { gateTargetOf } from '../../../src/webhooks/delivery/gate-target.ts';
import { attemptJob } from '../../../src/webhooks/delivery/queue-deliveries.ts';
import { until } from '../../support/until.ts';
import { EVENTS, finishedRun } from '../support/finished-run.ts';
import { makeKnown } from '../support/known-origin.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

const TASKS = 300;
const signal = new AbortController().signal;

let gate: TargetGate;
let sender: Sender;
beforeAll(async () => {
  // Time stands still here: no rate would ever be free again.
  const settings = { ratePerSecond: 1_000_000, originRatePerSecond: 1_000_000 };
  const options = { connection: process.env['REDIS_TEST_URL'] ?? '', prefix: `t-${randomUUID()}`, settings };
  gate = createTargetGate({ ...options, logger: createLogger('error') });
  sender = await openSender({ gate });
});
afterAll(async () => {
  await sender.close();
  await gate.close();
});

/** A task's `working` and `completed`, both owed now. */
async function twoOwed(url: string): Promise<[working: Delivery, completed: Delivery]> {
  await makeKnown(gate, url, sender.clock.now());
  const run = await storedRun(sender, [registration(url)]);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }, { state: 'completed' }));
  const [working, completed] = await sender.deliveriesOf(run.task_id);
  if (working === undefined || completed === undefined) throw new Error('there are not two deliveries');
  return [working, completed];
}

const tried = (row: Delivery) => sender.webhooks.attempt(attemptJob(row).data, signal);

it('[W17] of 300 tasks at once no `completed` arrives before its `working`', async () => {
  const receiver = await openReceiver(status(204));
  onTestFinished(() => receiver.close());
  await makeKnown(gate, receiver.url(), sender.clock.now());
  const runs = Array.from({ length: TASKS }, () => finishedRun(receiver.url(), sender.clock.now()));
  await sender.runs.insertMany(runs);
  const worker = sender.webhooks.start({ concurrency: 64 });
  onTestFinished(() => worker.close(1000));
  await Promise.all(runs.map((run) => sender.webhooks.notifier.notify(run)));
  await until(async () => (await sender.deliveries.count({ state: 'delivered' })) === TASKS * EVENTS);
  const seen = new Map<string, string[]>();
  for (const { body } of receiver.received) {
    const task_id = String(body['task_id']);
    seen.set(task_id, [...(seen.get(task_id) ?? []), String(body['status'])]);
  }
  expect(seen.size).toBe(TASKS);
  expect([...seen.values()].filter((states) => states.join() !== 'working,completed')).toEqual([]);
});

it('[W17] a receiver that hangs on `working` gets `completed` after 2 s', async () => {
  let hanging: ServerResponse | undefined;
  const receiver = await openReceiver((response, _n, { body }) => {
    if (body['status'] === 'working') hanging = response;
    else response.writeHead(204).end();
  });
  onTestFinished(() => receiver.close());
  const [working, completed] = await twoOwed(receiver.url());
  const first = tried(working);
  await receiver.arrived(1);
  expect((await tried(completed))?.parkMs).toBe(25);
  sender.clock.advance(60);
  expect((await tried(completed))?.parkMs).toBe(60);
  sender.clock.advance(1930);
  expect((await tried(completed))?.parkMs).toBe(10);
  expect(receiver.received).toHaveLength(1);
  sender.clock.advance(10);
  expect(await tried(completed)).toBeUndefined();
  expect(receiver.request(2).body['status']).toBe('completed');
  hanging?.writeHead(204).end();
  await first;
  const states = (await sender.deliveriesOf(working.task_id)).map(({ state }) => state);
  expect(states).toEqual(['delivered', 'delivered']);
});

it('[W17] no time runs while the target is closed: when it opens, `completed` waits for `working` anew', async () => {
  const receiver = await openReceiver(status(204));
  onTestFinished(() => receiver.close());
  const [working, completed] = await twoOwed(receiver.url());
  expect((await tried(completed))?.parkMs).toBe(25);
  const target = gateTargetOf(completed);
  const { permit } = (await gate.enter(target, sender.clock.now())) as { permit: string };
  await gate.leave(target, permit, { outcome: 'ok', nowMs: sender.clock.now(), tookMs: 1, pauseMs: 5000 });
  sender.clock.advance(100);
  // One wake-up waits there, and no job.
  expect(await tried(completed)).toBeUndefined();
  sender.clock.advance(5000);
  expect((await tried(completed))?.parkMs).toBe(25);
  expect(receiver.received).toEqual([]);
  await tried(working);
  await tried(completed);
  expect(receiver.received.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
});

it.each([204, 404, 503])('[W17] `completed` goes once `working` was answered with %d', async (code) => {
  const receiver = await openReceiver(status(code));
  onTestFinished(() => receiver.close());
  const [working, completed] = await twoOwed(receiver.url());
  expect((await tried(completed))?.parkMs).toBe(25);
  await tried(working);
  expect(await tried(completed)).toBeUndefined();
  expect(receiver.received.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
});

it('[W17] a registration that came after the event before waits for nothing, nor does a second attempt', async () => {
  const receiver = await openReceiver(status(503));
  onTestFinished(() => receiver.close());
  const created_at = toTimestamp(sender.clock.now() + 1);
  const late = registration(receiver.url(), { created_at });
  const run = withStatuses(await storedRun(sender, [late]), { state: 'working' });
  await sender.webhooks.notifier.notify(withStatuses({ ...run, notified_sequence: 2 }, { state: 'completed' }));
  const completed = await sender.attempt(await sender.deliveryOf(run.task_id));
  expect(completed.attempts).toHaveLength(1);
  sender.clock.advance(5000);
  expect((await sender.attempt(completed)).attempts).toHaveLength(2);
});
