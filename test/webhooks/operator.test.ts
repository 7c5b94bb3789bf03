import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ResendRanges, sendRange } from '../../src/admin/operator/webhooks/resend-range.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { Delivery } from '../../src/webhooks/delivery/delivery.ts';
import { attemptJob } from '../../src/webhooks/delivery/queue-deliveries.ts';
import { WAKE_UP_QUEUE } from '../../src/webhooks/delivery/wake-ups.ts';
import { openReceiver, status } from './support/open-receiver.ts';
import type { Receiver } from './support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from './support/open-sender.ts';
import type { Sender } from './support/open-sender.ts';
import { CREDENTIALS, registration } from './support/registrations.ts';

const HOUR = 3_600_000;
let sender: Sender;
let receiver: Receiver;
beforeAll(async () => {
  sender = await openSender();
  sender.store.collection(ResendRanges);
  await sender.store.prepare();
});
afterAll(() => sender.close());
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

async function recorded(changes: Parameters<typeof registration>[1] = {}): Promise<Delivery> {
  const run = await storedRun(sender, [registration(receiver.url('/hook?secret=1'), changes)]);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  return sender.deliveryOf(run.task_id);
}

describe('what an operator sees', () => {
  it('is every delivery by state, destination and time, without body, secrets and the query of the URL', async () => {
    receiver.answer = status(404);
    const row = await sender.attempt(await recorded({ mode: 'hmac-sha256', token: 'T0ken of the buyer' }));
    const { operator } = sender.webhooks;
    const { rows } = await operator.list({ state: 'rejected', destination: row.destination }, { limit: 10 });
    expect(rows.map(({ delivery_id }) => delivery_id)).toEqual([row.delivery_id]);
    const shown = JSON.stringify([rows, await operator.inspect(row.delivery_id)]);
    for (const secret of [CREDENTIALS, 'T0ken of the buyer', 'secret=1', 'sealed']) expect(shown).not.toContain(secret);
    expect(rows[0]).toMatchObject({ attempts: [{ http_status_code: 404 }], url: receiver.url('/hook') });
    expect(await operator.list({ destination: row.destination, from: '2999' }, { limit: 10 })).toEqual({ rows: [] });
  });

  it.each([undefined, 'T0ken "of" the buyer'])('is what is sent, to the byte, but for the token %j', async (token) => {
    receiver.answer = status(404);
    const row = await sender.attempt(await recorded({ mode: 'hmac-sha256', ...(token !== undefined && { token }) }));
    const sent = receiver.request(1).rawBody;
    const shown = await sender.webhooks.operator.body(row.delivery_id);
    const digest = `sha-256=:${createHash('sha256').update(sent).digest('base64')}:`;
    expect(shown).toMatchObject({ bytes: sent.length, content_digest: digest, is_masked: token !== undefined });
    const written = token === undefined ? [] : [JSON.stringify(token).slice(1, -1)];
    for (const secret of written) expect(sent.toString()).toContain(secret);
    expect(shown.text).toBe(written.reduce((text, secret) => text.replaceAll(secret, '********'), sent.toString()));
  });

  it('of an unknown delivery is NOT_FOUND', async () => {
    await expect(sender.webhooks.operator.inspect('d0')).rejects.toBeInstanceOf(AppError);
    await expect(sender.webhooks.operator.body('d0')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(sender.webhooks.operator.resend('d0')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('[W7] a manual resend', () => {
  it('[W7] within the horizon sends the same bytes under the same key', async () => {
    receiver.answer = status(404);
    const row = await sender.attempt(await recorded());
    receiver.answer = status(200);
    expect(await sender.webhooks.operator.resend(row.delivery_id)).toEqual({
      delivery_id: row.delivery_id,
      idempotency_key: row.idempotency_key,
      is_new_event: false,
    });
    expect((await sender.attempt(row)).state).toBe('delivered');
    expect(receiver.request(2).rawBody.equals(receiver.request(1).rawBody)).toBe(true);
  });

  it.each(['mcp', 'a2a'] as const)(
    '[W7] after it is a new event with a new key, once however often it is asked (%s)',
    async (channel) => {
      receiver.answer = status(404);
      const row = await sender.attempt(await recorded({ channel, wire: '1.0', token: 'T0ken' }));
      receiver.answer = status(200);
      sender.clock.advance(24 * HOUR);
      const resent = await sender.webhooks.operator.resend(row.delivery_id);
      expect(resent).toMatchObject({ is_new_event: true });
      expect(resent.idempotency_key).not.toBe(row.idempotency_key);
      expect(await sender.webhooks.operator.resend(row.delivery_id)).toEqual(resent);
      const again = await sender.deliveries.get(resent.delivery_id);
      expect(again).toMatchObject({ resend_of: row.delivery_id, state: 'pending', sequence: row.sequence });
      await sender.attempt(again ?? row);
      const [first, second] = [receiver.request(1), receiver.request(2)].map(({ rawBody }) => rawBody.toString('utf8'));
      expect(second).toBe(first?.replace(row.idempotency_key, resent.idempotency_key));
      expect(receiver.request(2).headers['x-a2a-notification-token']).toBe(channel === 'a2a' ? 'T0ken' : undefined);
    },
  );

  it('of a range sends again all that is over', async () => {
    receiver.answer = status(404);
    const rows = [await sender.attempt(await recorded()), await sender.attempt(await recorded())];
    const destination = rows[0]?.destination ?? '';
    const { operator } = sender.webhooks;
    const range = { state: 'rejected', destination } as const;
    sender.clock.advance(1);
    const sendAll = (range_id: string) => sendRange(sender, { range_id, filter: range, by: 'ops' });
    expect(await sendAll('rng_1')).toMatchObject({ resent: 2, worked_at: null });
    expect(await sendAll('rng_1')).toMatchObject({ resent: 2, worked_at: null });
    expect(await sendAll('rng_2')).toMatchObject({ resent: 0, worked_at: null });
    expect((await operator.waiting()).get(destination)?.count).toBe(2);
    const pending = await sender.webhooks.operator.list({ state: 'pending', destination }, { limit: 10 });
    expect(pending.rows).toHaveLength(2);
  });
});

describe('[W7] an attempt that an operator asks for', () => {
  it('[W7] is the next one, now, with the same bytes; however often it is asked for, it is made once', async () => {
    receiver.answer = status(500);
    const row = await sender.attempt(await recorded());
    expect(row).toMatchObject({ state: 'pending', attempts: [{ http_status_code: 500 }] });
    const signed = () => sender.webhooks.keys.signed().get(row.attempts[0]?.kid ?? '') ?? 0;
    const signedBefore = signed();
    receiver.answer = status(200);
    const { operator } = sender.webhooks;
    const now = new Date(sender.clock.now()).toISOString();
    const waiting = async () => {
      const lanes = await Promise.all([sender.lanes.prompt.counts(), sender.lanes.late.counts()]);
      return lanes.reduce((sum, counts) => sum + counts.waiting, 0);
    };
    const before = await waiting();
    const asked = await Promise.all([1, 2].map(() => operator.attemptNow(row.delivery_id)));
    const ahead = { delivery_id: row.delivery_id, attempt: 2, next_attempt_at: now };
    expect(asked).toEqual([ahead, ahead]);
    expect(await waiting()).toBe(before + 1);
    expect(await sender.attempt(row)).toMatchObject({ state: 'delivered' });
    // The same job once more finds nothing owed.
    await sender.webhooks.attempt(attemptJob(row).data, new AbortController().signal);
    expect([receiver.received.length, signed()]).toEqual([2, signedBefore + 1]);
    expect(receiver.request(2).rawBody.equals(receiver.request(1).rawBody)).toBe(true);
  });

  it('[W7] leaves a first one alone that is on its way, and does none that is over', async () => {
    const row = await recorded();
    const onItsWay = new Date(sender.clock.now() + HOUR).toISOString();
    await sender.deliveries.update(row.delivery_id, (stored) => ({ ...stored, next_attempt_at: onItsWay }));
    const { operator } = sender.webhooks;
    expect(await operator.attemptNow(row.delivery_id)).toMatchObject({ attempt: 1, next_attempt_at: onItsWay });
    await sender.deliveries.update(row.delivery_id, (stored) => ({ ...stored, state: 'ended', next_attempt_at: null }));
    await expect(operator.attemptNow(row.delivery_id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(operator.attemptNow('d0')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(receiver.received).toHaveLength(0);
  });
});

describe('a destination that an operator has paused', () => {
  it('gets nothing and spends no attempt, and gets all that waited when it is resumed', async () => {
    const row = await recorded();
    const { operator } = sender.webhooks;
    await operator.pause({ destination: row.destination, by: 'ops', reason: 'maintenance' });
    expect(await operator.destination(row.destination)).toMatchObject({ is_paused: true });
    expect((await operator.paused()).map(({ destination }) => destination)).toEqual([row.destination]);
    const waiting = await sender.attempt(row);
    expect(waiting).toMatchObject({ state: 'pending', attempts: [] });
    expect(receiver.received).toHaveLength(0);
    expect(await operator.resume(row.destination)).toBe(1);
    expect(await operator.paused()).toEqual([]);
    expect((await sender.attempt(row)).state).toBe('delivered');
  });

  it('has one wake-up for all that waits, and no job of a delivery; what each is owed stands in its row', async () => {
    const rows = [await recorded(), await recorded()];
    const { operator } = sender.webhooks;
    const [{ destination }] = rows as [Delivery, Delivery];
    await operator.pause({ destination, by: 'ops', reason: 'maintenance' });
    const wakeUps = sender.queues.queue(WAKE_UP_QUEUE);
    const before = (await wakeUps.counts()).delayed;
    const late = await sender.lanes.late.counts();
    for (const row of rows) expect(await sender.attempt(row)).toEqual(row);
    expect((await wakeUps.counts()).delayed).toBe(before + 1);
    // Nor does the reconciler take what waits for lost.
    for (const row of rows) await sender.lanes.prompt.remove(attemptJob(row).id);
    sender.clock.advance(60_000);
    const prompt = await sender.lanes.prompt.counts();
    await sender.webhooks.reconcile(10_000);
    expect(await sender.lanes.prompt.counts()).toEqual(prompt);
    expect(await sender.lanes.late.counts()).toEqual(late);
    expect(await operator.resume(destination)).toBe(2);
    expect((await sender.lanes.prompt.counts()).waiting).toBe(prompt.waiting + 2);
    expect((await wakeUps.counts()).delayed).toBe(before);
  });
});
