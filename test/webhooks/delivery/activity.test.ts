import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAX_ACTIVITY } from '../../../src/webhooks/delivery/activity.ts';
import { DELIVERY_RETENTION_MS } from '../../../src/webhooks/delivery/delivery.ts';
import { mediaBuyId, organizationId } from '../../support/ids.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

let sender: Sender;
let receiver: Receiver;
beforeAll(async () => {
  sender = await openSender({
    subjectOf: ({ input: { media_buy_id: id } }) => (typeof id === 'string' ? mediaBuyId(id) : null),
  });
});
afterAll(() => sender.close());
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

async function recorded(media_buy_id: string, organization_id = organizationId('buyer')) {
  const run = await storedRun(sender, [registration(receiver.url('/hook?secret=1#x'))], {
    input: { media_buy_id },
    organization_id,
  });
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  return sender.deliveryOf(run.task_id);
}

const activity = (subject_id: string, organization_id = organizationId('buyer')) =>
  sender.webhooks.activity({ organization_id, subject_id: mediaBuyId(subject_id) });

describe('[W11] webhook_activity', () => {
  it('[W11] shows every fire and the one still owed, most recent first, the URL without its query', async () => {
    receiver.answer = status(503);
    let row = await sender.attempt(await recorded('mb-1'));
    receiver.answer = (response) => response.destroy();
    row = await sender.attemptWhenDue(row);
    const facts = {
      idempotency_key: row.idempotency_key,
      task_id: row.task_id,
      task_type: 'create_media_buy',
      event: 'working',
      url: receiver.url('/hook'),
    };
    const shown = await activity('mb-1');
    expect(shown).toMatchObject([
      { ...facts, status: 'pending', attempt: 3, timestamp: row.next_attempt_at },
      { ...facts, status: 'connection_error', attempt: 2 },
      { ...facts, status: 'failed', attempt: 1, http_status_code: 503, error_message: 'receiver failed' },
    ]);
    expect(JSON.stringify(shown)).not.toContain('secret');
    expect(shown[1]).not.toHaveProperty('http_status_code');
  });

  it('[W11] shows only the buyer’s own fires', async () => {
    await recorded('mb-2');
    expect(await activity('mb-2', organizationId('another'))).toEqual([]);
    expect(await activity('mb-2')).toHaveLength(1);
  });

  it('[B9] shows at most 200, the newest, and none older than 30 days', async () => {
    const run = await storedRun(sender, [registration(receiver.url())], { input: { media_buy_id: 'mb-3' } });
    const states = Array.from({ length: 210 }, () => ({ state: 'working' as const }));
    await sender.webhooks.notifier.notify(withStatuses(run, ...states));
    expect(await activity('mb-3')).toHaveLength(MAX_ACTIVITY);
    sender.clock.advance(DELIVERY_RETENTION_MS + 1);
    expect(await activity('mb-3')).toEqual([]);
  });
});
