import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HORIZON_MS } from '../../src/webhooks/delivery/retry-schedule.ts';
import { reportNotification } from './support/report-notification.ts';
import { openReceiver } from './support/open-receiver.ts';
import type { Receiver } from './support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from './support/open-sender.ts';
import type { Sender } from './support/open-sender.ts';
import { registration } from './support/registrations.ts';

const context_text = '{"id":12345678901234567890,"price":1.10,"10":3,"2":4,"__proto__":{"x":1}}';
const context = JSON.parse(context_text) as unknown;

let sender: Sender;
let receiver: Receiver;
beforeAll(async () => {
  sender = await openSender();
  receiver = await openReceiver();
});
afterAll(async () => {
  await sender.close();
  await receiver.close();
});

describe('[W19] [C.events.2] the context of a webhook', () => {
  it.each([
    ['MCP', {}],
    ['A2A 0.3', { channel: 'a2a', wire: '0.3' }],
    ['A2A 1.0', { channel: 'a2a', wire: '1.0' }],
  ] as const)(
    '[W19] is what was written in the %s envelope, also when it is sent anew a day later',
    async (_of, changes) => {
      const run = await storedRun(sender, [registration(receiver.url(), changes)], { context, context_text });
      await sender.webhooks.notifier.notify(withStatuses(run, { state: 'completed', data: { done: true } }));
      const row = await sender.attempt(await sender.deliveryOf(run.task_id));
      expect(receiver.request().rawBody.toString()).toContain(`"context":${context_text}`);
      sender.clock.advance(HORIZON_MS + 1);
      const { delivery_id, idempotency_key, is_new_event } = await sender.webhooks.operator.resend(row.delivery_id);
      const again = await sender.deliveries.get(delivery_id);
      expect(is_new_event).toBe(true);
      expect(again?.body).toBe(row.body.replace(row.idempotency_key, idempotency_key));
      expect(again?.body).not.toBe(row.body);
    },
  );

  it('[W19] is what was written in a report', async () => {
    await sender.webhooks.enqueue([reportNotification(receiver.url(), { context, context_text })]);
    expect((await sender.deliveryOf('delivery_report_1')).body).toContain(`"context":${context_text}`);
  });

  it('[W19] of a row that has no text is what it was parsed to', async () => {
    const run = await storedRun(sender, [registration(receiver.url())], { context: { a: 1.1 } });
    await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
    expect((await sender.deliveryOf(run.task_id)).body).toContain('"context":{"a":1.1}');
  });
});
