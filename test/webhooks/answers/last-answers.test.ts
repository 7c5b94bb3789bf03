import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReceiverAnswers } from '../../../src/webhooks/answers/receiver-answer.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import { attemptJob } from '../../../src/webhooks/delivery/queue-deliveries.ts';
import { receiverId } from '../../../src/webhooks/delivery/receiver-id.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Answer, Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { CREDENTIALS, registration } from '../support/registrations.ts';

const DAY = 24 * 3_600_000;
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

/** Refuses with these words. */
const says =
  (code: number, words: string): Answer =>
  (response) =>
    response.writeHead(code).end(words);

/** What a program in trouble answers: the whole request, headers and body. */
const repeats: Answer = (response, _n, { headers, rawBody, path }) =>
  response.writeHead(500).end(JSON.stringify({ path, headers, body: rawBody.toString() }));

async function made(changes: Parameters<typeof registration>[1] = {}): Promise<Delivery> {
  const run = await storedRun(sender, [registration(receiver.url('/hook?key=in-the-query'), changes)]);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  return sender.deliveryOf(run.task_id);
}

const shownOf = async ({ delivery_id }: Delivery, by = sender.webhooks) =>
  (await by.operator.inspect(delivery_id)).receiver_answer;

describe("[W8.answers] a receiver's last failed answer", () => {
  it('[W8.answers] is kept without the token, the credentials and the query, whatever of the request it repeats', async () => {
    receiver.answer = repeats;
    const ways = [
      ...(['hmac-sha256', 'bearer'] as const).map((mode) => ({ mode, token: 'T0ken "of" the buyer' })),
      { channel: 'a2a', wire: '1.0', token: 'T0ken-of-a2a' } as const,
    ];
    for (const way of ways) {
      sender.clock.advance(DAY);
      const row = await sender.attempt(await made(way));
      const answer = await shownOf(row);
      expect(answer).toMatchObject({ delivery_id: row.delivery_id, http_status_code: 500 });
      expect(answer?.text).toContain('"path":"/hook?********"');
      expect(answer?.text).toContain('********');
      const stored = JSON.stringify(await sender.store.collection(ReceiverAnswers).getMany([receiverId(row)]));
      for (const secret of [CREDENTIALS, 'T0ken', 'in-the-query']) expect(stored).not.toContain(secret);
    }
  });

  it('[W8.answers] is the last of those, not one of before, no 2xx, and is gone after 7 days', async () => {
    sender.clock.advance(DAY);
    receiver.answer = says(404, 'first');
    const row = await sender.attempt(await made());
    expect(await shownOf(row)).toMatchObject({ text: 'first', http_status_code: 404, is_cut: false });
    // So soon after one that is kept, another is not.
    receiver.answer = says(503, 'at once');
    await sender.attempt(await made());
    expect(await shownOf(row)).toMatchObject({ text: 'first' });
    sender.clock.advance(10_000);
    receiver.answer = says(503, 'later');
    const later = await sender.attempt(await made());
    expect(await shownOf(row)).toMatchObject({ text: 'later', delivery_id: later.delivery_id });
    sender.clock.advance(10_000);
    receiver.answer = says(200, 'taken');
    await sender.attempt(await made());
    expect(await shownOf(row)).toMatchObject({ text: 'later' });
    sender.clock.advance(7 * DAY - 10_001);
    expect(await shownOf(row)).toMatchObject({ text: 'later' });
    sender.clock.advance(1);
    expect(await shownOf(row)).toBeNull();
    receiver.answer = status(500);
    expect(await shownOf(await sender.attempt(await made()))).toMatchObject({ text: '', is_cut: false });
  });

  it('[W8.answers] is neither kept nor shown where the operator refuses that, nor what was kept before', async () => {
    sender.clock.advance(DAY);
    receiver.answer = says(500, 'before');
    const row = await sender.attempt(await made());
    const without = createWebhooks({ ...sender.dependencies, keepsAnswers: false });
    expect(await shownOf(row, without)).toBeNull();
    expect(await without.operator.answers(row.destination)).toEqual([]);
    expect(await without.buyer.show(row.organization_id, row.delivery_id)).toMatchObject({ receiver_answer: null });
    sender.clock.advance(DAY);
    receiver.answer = says(500, 'after');
    await without.attempt(attemptJob(await made()).data, new AbortController().signal);
    expect(receiver.request().rawBody.length).toBeGreaterThan(0);
    expect(await shownOf(row)).toMatchObject({ text: 'before' });
  });
});
