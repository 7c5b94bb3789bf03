import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TargetGate } from '../../../src/platform/redis/target-gate.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { createAttemptSlots } from '../../../src/webhooks/delivery/admission.ts';
import type { AttemptSlots } from '../../../src/webhooks/delivery/admission.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { organizationId } from '../../support/ids.ts';
import { until } from '../../support/until.ts';
import { makeKnown } from '../support/known-origin.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Answer, Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

let gate: TargetGate;
let sender: Sender;
let receiver: Receiver;
beforeAll(async () => {
  gate = createTargetGate({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix: `t-${randomUUID()}`,
    logger: createLogger('error'),
  });
  sender = await openSender({ gate });
});
afterAll(async () => {
  await sender.close();
  await gate.close();
});
beforeEach(async () => {
  receiver = await openReceiver();
  await makeKnown(gate, receiver.url(), sender.clock.now());
});
afterEach(() => receiver.close());

async function recorded(): Promise<Delivery> {
  const run = await storedRun(sender, [registration(receiver.url())]);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  return sender.deliveryOf(run.task_id);
}

describe('a destination that keeps failing', () => {
  const destroy: Answer = (response) => response.destroy();

  it.each<[string, Answer]>([
    ['500', status(500)],
    ['closed connections', destroy],
  ])('with %s is left alone after five in a row: others wait and spend no attempt', async (_what, answer) => {
    receiver.answer = answer;
    for (let n = 0; n < 5; n++) await sender.attempt(await recorded());
    const sixth = await sender.attempt(await recorded());
    expect(sixth).toMatchObject({ state: 'pending', attempts: [] });
    expect(receiver.received).toHaveLength(5);
  });

  it('is probed once, and open to all when the probe is answered', async () => {
    receiver.answer = status(500);
    for (let n = 0; n < 5; n++) await sender.attempt(await recorded());
    receiver.answer = status(200);
    sender.clock.advance(5001);
    const rows = [await sender.attempt(await recorded()), await sender.attempt(await recorded())];
    expect(rows.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  it.each([401, 404, 410])('by %d is not closed to others: that answer is about one webhook', async (code) => {
    receiver.answer = status(code);
    for (let n = 0; n < 6; n++) await sender.attempt(await recorded());
    expect(receiver.received).toHaveLength(6);
  });
});

it('Retry-After closes a target for that time', async () => {
  receiver.answer = status(429, { 'retry-after': '8' });
  await sender.attempt(await recorded());
  receiver.answer = status(200);
  const waiting = await sender.attempt(await recorded());
  expect(waiting.attempts).toEqual([]);
  sender.clock.advance(8001);
  expect((await sender.attempt(waiting)).state).toBe('delivered');
});

it('an operator’s resume forgets the failures of a destination', async () => {
  receiver.answer = status(500);
  for (let n = 0; n < 5; n++) await sender.attempt(await recorded());
  const { destination } = await recorded();
  expect(await sender.webhooks.operator.destination(destination)).toMatchObject({
    consecutive_failures: 5,
    // What somebody else sends there is not held.
    closed_until: undefined,
    targets: [{ organization_id: 'buyer', path: '/hook', consecutive_failures: 5 }, { organization_id: 'seed' }],
  });
  expect(await sender.webhooks.operator.resume(destination)).toBe(6);
  expect(await sender.webhooks.operator.destination(destination)).toMatchObject({
    in_flight: 0,
    consecutive_failures: 0,
    closed_until: undefined,
    is_paused: false,
    is_known: true,
  });
});

it('half of a lane’s places are kept for destinations that answer well', () => {
  const places = createAttemptSlots(4);
  expect(['a', 'b', 'c'].map((name) => places.acquire(false, name))).toEqual([true, true, false]);
  expect([places.acquire(true, 'c'), places.acquire(true, 'c')]).toEqual([true, true]);
  places.release(false, 'a');
  expect(places.acquire(false, 'c')).toBe(true);
});

describe('[S2.unproven] of the places for destinations that never answered', () => {
  /** Takes all that an organization gets. */
  const most = (places: AttemptSlots, name: string): number => {
    let count = 0;
    while (places.acquire(false, name)) count++;
    return count;
  };

  it('each organization gets a third of what is left, so that the next one finds some', () => {
    const places = createAttemptSlots(256);
    const got = Array.from({ length: 12 }, (_, n) => most(places, `o-${n}`));
    expect(got.slice(0, 3)).toEqual([32, 24, 18]);
    expect(Math.min(...got)).toBeGreaterThan(0);
    for (let n = 0; n < 32; n++) places.release(false, 'o-0');
    expect(most(places, 'new')).toBeGreaterThan(8);
  });

  it('none gets more than its budget', () => {
    expect(most(createAttemptSlots(256, 5), 'o-1')).toBe(5);
  });

  it('one whose receivers all hang leaves some: the first webhook of another is sent at once', async () => {
    const timeouts = { connectTimeoutMs: 600_000, totalTimeoutMs: 600_000 };
    const busy = await openSender({ gate, timeouts });
    const hanging = await Promise.all(Array.from({ length: 14 }, () => openReceiver(() => undefined)));
    const begin = async (organization: string, url: string) => {
      const run = await storedRun(busy, [registration(url)], { organization_id: organizationId(organization) });
      await busy.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
    };
    const held = () => hanging.reduce((count, { received }) => count + received.length, 0);
    for (const each of hanging) await begin('hangs', each.url());
    const honest = await openReceiver();
    const worker = busy.webhooks.start({ concurrency: 24 });
    try {
      await until(() => held() === 3);
      await begin('honest', honest.url());
      await honest.arrived(1);
      expect(held()).toBe(3);
    } finally {
      for (const each of [honest, ...hanging]) await each.close();
      await worker.close(0);
      await busy.close();
    }
  });
});
