import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registeredUrl, storedUrl } from '../../../src/platform/crypto/sealed-url.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { markNotified } from '../../../src/runtime/transition.ts';
import type { Registration } from '../../../src/runtime/registration.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import { openSender, SECRET, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';
import { mutatingTask } from '../support/task-definitions.ts';

const box = sealer(SECRET);
let sender: Sender;
let receiver: Receiver;
beforeAll(async () => {
  sender = await openSender();
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  await sender.close();
});

/** A task of this registration, whose one event is a delivery that nobody has sent. */
async function told(registered: Registration) {
  const begun = await storedRun(sender, [registered]);
  const { events, state } = withStatuses(begun, { state: 'working' });
  const outcome = await sender.runs.update(begun.task_id, (stored) => ({
    ...{ ...stored, events, state },
    notify_due_at: stored.created_at,
  }));
  const run = outcome?.row ?? begun;
  await sender.webhooks.notifier.notify(run);
  await markNotified(sender, run);
  return { run, row: await sender.deliveryOf(run.task_id) };
}

describe('a webhook whose URL has a secret in its query [W11.sealed]', () => {
  it('is sent there with it, signed for it, and neither stored, queued, logged nor shown with it', async () => {
    const url = receiver.url('/hook?key=planted-1');
    const token = 'a token of the buyer';
    const config = { url, operation_id: 'op-1', token };
    const registered = await sender.webhooks.notifier.register(
      { channel: 'mcp', config, field: 'push_notification_config' },
      mutatingTask,
    );
    const { run, row } = await told(registered);
    await sender.attempt(row);
    expect(receiver.request()).toMatchObject({ path: '/hook?key=planted-1', body: { token } });
    const seen = {
      run: await sender.runOf(run.task_id),
      row: await sender.deliveryOf(run.task_id),
      operator: await sender.webhooks.operator.list({ task_id: run.task_id }, { limit: 10 }),
      buyer: await sender.webhooks.buyer.show(run.organization_id, row.delivery_id),
      log: sender.logged,
    };
    for (const [where, what] of Object.entries(seen))
      expect(JSON.stringify(what), where).not.toMatch(/planted-1|a token of the buyer/);
    expect(seen.operator.rows[0]?.url).toBe(receiver.url('/hook'));
    expect(seen.buyer.url).toBe(receiver.url('/hook'));
  });

  it('shares the target with others of its path, and ends with 410 however often its URL was sealed anew', async () => {
    const url = receiver.url('/gone?key=planted-2');
    const { run, row } = await told({ ...registration(url, { token: 'token' }), url: storedUrl(box, url) });
    await sender.deliveries.update(row.delivery_id, (stored) => ({ ...stored, url: storedUrl(box, url) }));
    const { row: other } = await told(registration(receiver.url('/gone')));
    expect(row.target).toBe(other.target);
    receiver.answer = status(410);
    const after = await sender.attempt(row);
    receiver.answer = status(204);
    expect(after.state).toBe('gone');
    expect((await sender.runOf(run.task_id)).registrations[0]?.ended_at).toBeDefined();
  });

  it('of 0.1.0 goes on as it stands, and to a test event, too', async () => {
    const url = receiver.url('/old?key=planted-3');
    const { row } = await told(registration(url, { token: 'token', mode: 'hmac-sha256' }));
    expect((await sender.attempt(row)).state).toBe('delivered');
    expect(receiver.request().path).toBe('/old?key=planted-3');
    const outcome = await sender.webhooks.buyer.test(row.organization_id, { url: receiver.url('/test?key=planted-4') });
    expect(outcome).toMatchObject({ delivered: true, url: receiver.url('/test') });
    expect(receiver.request().path).toBe('/test?key=planted-4');
    expect(registeredUrl(box, row.url)).toBe(url);
  });
});
