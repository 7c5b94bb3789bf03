import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Queues, QueueWorker } from '../../../src/platform/queue/queue.ts';
import { createDeliveries } from '../../../src/webhooks/delivery/create-delivery.ts';
import { LANE_QUEUES } from '../../../src/webhooks/delivery/lanes.ts';
import type { Lane } from '../../../src/webhooks/delivery/lanes.ts';
import { attemptJob } from '../../../src/webhooks/delivery/queue-deliveries.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import { until } from '../../support/until.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

const LANES = Object.keys(LANE_QUEUES) as Lane[];

let sender: Sender;
let receiver: Receiver;
let worker: QueueWorker | undefined;
beforeAll(async () => {
  sender = await openSender();
});
afterAll(() => sender.close());
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await worker?.close(1000);
  worker = undefined;
  await receiver.close();
});

async function working() {
  const run = await storedRun(sender, [registration(receiver.url())]);
  return withStatuses(run, { state: 'working' });
}

/** A row whose job was never queued: what a crash between the two leaves behind. */
async function recordedOnly() {
  const run = await working();
  const queue = { ...sender.lanes.prompt, addMany: () => Promise.reject(new Error('killed here')) };
  const queues = { ...sender.queues, queue: () => queue } as unknown as Queues;
  await createWebhooks({ ...sender.dependencies, queues }).notifier.notify(run);
  return sender.deliveryOf(run.task_id);
}

describe('a worker', () => {
  it('delivers what was notified', async () => {
    const run = await working();
    worker = sender.webhooks.start({ concurrency: 4 });
    await sender.webhooks.notifier.notify(run);
    await receiver.arrived(1);
    const row = await until(async () => {
      const found = await sender.deliveryOf(run.task_id);
      return found.state === 'delivered' && found;
    });
    expect(receiver.received[0]?.body['idempotency_key']).toBe(row.idempotency_key);
    await until(async () => Object.values(await sender.lanes.prompt.counts()).every((count) => count === 0));
  });

  it('queues the next attempt for when it is due', async () => {
    receiver.answer = status(500);
    const run = await working();
    worker = sender.webhooks.start({ concurrency: 4 });
    await sender.webhooks.notifier.notify(run);
    await until(async () => (await sender.lanes.prompt.counts()).delayed === 1);
    expect((await sender.deliveryOf(run.task_id)).attempts).toHaveLength(1);
  });
});

/** Nothing is to be done now; what is delayed may stay. */
function isIdle({ waiting, active }: { waiting: number; active: number }): boolean {
  return waiting + active === 0;
}

describe('the reconciler', () => {
  it('finds a delivery whose job was never queued, and it is delivered with its own bytes and key', async () => {
    const row = await recordedOnly();
    worker = sender.webhooks.start({ concurrency: 4 });
    expect(await sender.webhooks.reconcile(0)).toBeGreaterThanOrEqual(1);
    await receiver.arrived(1);
    expect(receiver.received[0]?.rawBody.toString('utf8')).toBe(row.body);
    await until(async () => (await sender.deliveryOf(row.task_id)).state === 'delivered');
  });

  it.each(LANES)('queues an attempt anew whose job in the %s lane this release cannot read', async (lane) => {
    const row = await recordedOnly();
    const { id } = attemptJob(row);
    const foreign = { name: LANE_QUEUES[lane].name, schema: z.unknown() };
    await sender.queues.queue(foreign).add(id, { delivery: row.delivery_id });
    worker = sender.webhooks.start({ concurrency: 4 });
    await until(async () => isIdle(await sender.lanes[lane].counts()));
    expect(receiver.received).toEqual([]);
    sender.clock.advance(10_000);
    await sender.webhooks.reconcile(10_000);
    await until(async () => (await sender.deliveryOf(row.task_id)).state === 'delivered');
    expect((await sender.deliveryOf(row.task_id)).attempts).toHaveLength(1);
  });

  it('leaves alone what is not overdue', async () => {
    await recordedOnly();
    expect(await sender.webhooks.reconcile(60_000)).toBe(0);
    sender.clock.advance(60_001);
    expect(await sender.webhooks.reconcile(60_000)).toBeGreaterThanOrEqual(1);
  });

  it('queues nothing again that a slow receiver holds up, and says so', async () => {
    const own = await openSender();
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => response.writeHead(204).end());
    const run = withStatuses(await storedRun(own, [registration(receiver.url())]), { state: 'working' });
    const slow = own.webhooks.start({ concurrency: 4 });
    await own.webhooks.notifier.notify(run);
    await receiver.arrived(1);
    own.clock.advance(20_000);
    for (let sweep = 0; sweep < 2; sweep++) expect(await own.webhooks.reconcile(10_000)).toBe(0);
    for (const answer of held) answer();
    await until(async () => (await own.deliveryOf(run.task_id)).state === 'delivered');
    expect(receiver.received).toHaveLength(1);
    await slow.close(1000);
    await own.close();
  });

  it('makes an attempt that a dead worker left undone hours ago', async () => {
    receiver.answer = status(503);
    const row = await sender.attempt(await recordedOnly());
    receiver.answer = status(200);
    await sender.lanes.prompt.remove(`${row.delivery_id}-2`);
    sender.clock.advance(3 * 3_600_000);
    worker = sender.webhooks.start({ concurrency: 4 });
    await sender.webhooks.reconcile(60_000);
    await until(async () => (await sender.deliveryOf(row.task_id)).state === 'delivered');
    expect((await sender.deliveryOf(row.task_id)).attempts).toHaveLength(2);
  });
});

it('the same event from a second producer changes nothing: the first bytes and key stay', async () => {
  const row = await recordedOnly();
  const { lanes, clock, deliveries } = sender;
  const { sealer, log } = sender.dependencies;
  const { organization_id, task_id, task_type, subject_id, sequence, event } = row;
  await createDeliveries({ lanes, clock, deliveries, sealer, log }, [
    {
      organization_id,
      task_id,
      task_type,
      subject_id,
      sequence,
      event,
      target: row,
      idempotency_key: 'k2',
      body: '{}',
    },
  ]);
  expect(await sender.deliveryOf(row.task_id)).toEqual(row);
});
