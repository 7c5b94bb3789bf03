import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { RETRY_STEPS_MS } from '../../../src/webhooks/delivery/retry-schedule.ts';
import { LONG_MS } from '../../support/until.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { judge } from '../support/judge.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Answer, Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { CREDENTIALS, registration } from '../support/registrations.ts';

let sender: Sender;
let receiver: Receiver;
beforeAll(async () => {
  sender = await openSender();
});
afterAll(() => sender.close());
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

/** A recorded delivery of one `working` event. */
async function recorded(changes: Parameters<typeof registration>[1] = {}, path?: string): Promise<Delivery> {
  const run = await storedRun(sender, [registration(receiver.url(path), changes)]);
  await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working', data: { percentage: 25 } }));
  return sender.deliveryOf(run.task_id);
}

describe('a signed attempt', () => {
  it('is verified by an independent implementation of RFC 9421 under the published key', async () => {
    await sender.attempt(await recorded());
    const received = receiver.request();
    const { keys } = await sender.webhooks.jwks();
    const params = await judge(received, keys, sender.clock.now());
    expect(params).toMatchObject({ alg: 'ed25519', keyid: keys[0]?.kid });
    expect(Number(params['expires'])).toBeGreaterThan(sender.clock.now() / 1000);
    expect(received.headers['content-type']).toBe('application/json');
  });

  it('is verified for URLs that clients and proxies like to rewrite', async () => {
    const paths = [
      '/%7ea/../b%2fc//d?x=1&&y=%2F',
      "/it's?q='a'&b=\"{|}\"",
      '/?',
      '',
      '/a%20b?é'.replace('é', '%C3%A9'),
    ];
    const { keys } = await sender.webhooks.jwks();
    for (const path of paths) {
      await sender.attempt(await recorded({}, path));
      await expect(judge(receiver.request(), keys, sender.clock.now())).resolves.toBeDefined();
    }
  });

  it('[W14] is signed for, and sent to, the host without the dot of the root', async () => {
    const run = await storedRun(sender, [registration(receiver.url().replace('127.0.0.1', '127.0.0.1.'))]);
    await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
    const row = await sender.attempt(await sender.deliveryOf(run.task_id));
    expect(row).toMatchObject({ state: 'delivered', destination: receiver.url('') });
    const received = receiver.request();
    expect(`http://${received.headers['host']}`).toBe(receiver.url(''));
    const { keys } = await sender.webhooks.jwks();
    await expect(judge(received, keys, sender.clock.now())).resolves.toBeDefined();
  });

  it('is recorded with times, address, status and key, and ends the delivery', async () => {
    const row = await sender.attempt(await recorded());
    expect(row).toMatchObject({ state: 'delivered', next_attempt_at: null });
    expect(row.attempts).toMatchObject([
      { attempt: 1, status: 'success', http_status_code: 204, address: '127.0.0.1', timings: { dns_ms: 0 } },
    ]);
    expect(row.attempts[0]?.kid).toBe((await sender.webhooks.jwks()).keys[0]?.kid);
    expect(row.attempts[0]).not.toHaveProperty('error_message');
  });

  it('[W1] sends the same bytes under the same key on every attempt, signed anew with a fresh nonce', async () => {
    receiver.answer = (response, n, received) => {
      status(n < 4 ? 500 : 200)(response, n, received);
    };
    let row = await recorded({ token: 'the buyer knows me' });
    for (let n = 1; n <= 4; n++) row = await sender.attemptWhenDue(row);
    expect(row.state).toBe('delivered');
    const first = receiver.request(1);
    const others = receiver.received.slice(1);
    expect(first.body).toMatchObject({ idempotency_key: row.idempotency_key, token: 'the buyer knows me' });
    for (const other of others) expect(other.rawBody.equals(first.rawBody)).toBe(true);
    const nonces = receiver.received.map(
      ({ headers }) => /nonce="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1],
    );
    expect(new Set(nonces).size).toBe(4);
  });
});

describe('[W4] the legacy modes', () => {
  it('[W4] [C.webhook.hmac] HMAC signs the exact bytes on the wire, and nothing else signs them', async () => {
    await sender.attempt(await recorded({ mode: 'hmac-sha256' }));
    const { headers, rawBody } = receiver.request(1);
    const timestamp = headers['x-proto-timestamp'] ?? '';
    const mac = createHmac('sha256', CREDENTIALS).update(`${timestamp}.`).update(rawBody).digest('hex');
    expect(headers['x-proto-signature']).toBe(`sha256=${mac}`);
    expect(Number(timestamp)).toBe(Math.floor(sender.clock.now() / 1000));
    expect(Object.keys(headers)).not.toContain('signature');
    expect(Object.keys(headers)).not.toContain('authorization');
  });

  it('[W4] [C.webhook.bearer] Bearer shows the token, and nothing is signed', async () => {
    await sender.attempt(await recorded({ mode: 'bearer' }));
    const { headers } = receiver.request(1);
    expect(headers['authorization']).toBe(`Bearer ${CREDENTIALS}`);
    expect(Object.keys(headers).filter((name) => name.includes('signature'))).toEqual([]);
  });

  it('[W4] neither store nor log holds the credentials or a token', async () => {
    const row = await sender.attempt(await recorded({ mode: 'hmac-sha256', token: 'T0ken-of-the-buyer' }));
    const written = JSON.stringify(row) + sender.logged.join('');
    expect(written).not.toContain(CREDENTIALS);
    expect(written).not.toContain('T0ken-of-the-buyer');
  });
});

it('[W5] the A2A token goes in its own header', async () => {
  await sender.attempt(await recorded({ channel: 'a2a', wire: '0.3', token: 'native token' }));
  const { headers, body } = receiver.request(1);
  expect(headers['x-a2a-notification-token']).toBe('native token');
  expect(headers['content-type']).toBe('application/json');
  expect(body['kind']).toBe('status-update');
});

describe('[W6] what an answer leads to', () => {
  const destroy: Answer = (response) => response.destroy();

  it.each<[string, Answer, Partial<Delivery['attempts'][number]>]>([
    ['500', status(500), { status: 'failed', http_status_code: 500 }],
    ['401', status(401), { status: 'failed', http_status_code: 401 }],
    ['408', status(408), { status: 'failed', http_status_code: 408 }],
    ['429', status(429), { status: 'failed', http_status_code: 429 }],
    ['a closed connection', destroy, { status: 'connection_error' }],
  ])('[W6] [C.events.9] %s is tried again after 5 s', async (_what, answer, recordedAs) => {
    receiver.answer = answer;
    const row = await sender.attempt(await recorded());
    expect(row.state).toBe('pending');
    expect(row.attempts).toMatchObject([recordedAs]);
    expect(Date.parse(row.next_attempt_at ?? '') - sender.clock.now()).toBe(5000);
  });

  it.each([302, 307, 404, 400, 422])('[W6] %d ends the delivery, and a redirect is not followed', async (code) => {
    receiver.answer = status(code, { location: receiver.url('/elsewhere') });
    const row = await sender.attempt(await recorded());
    expect(row).toMatchObject({ state: 'rejected', next_attempt_at: null });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('[W6] 410 ends the registration: later events go nowhere', async () => {
    receiver.answer = status(410);
    const row = await sender.attempt(await recorded());
    expect(row).toMatchObject({ state: 'gone', next_attempt_at: null });
    const run = await sender.runOf(row.task_id);
    expect(run.registrations[0]?.ended_at).toBeDefined();
    await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }, { state: 'completed' }));
    expect(await sender.deliveriesOf(row.task_id)).toHaveLength(1);
  });

  it('[W6] a 401 that blames our signature is shown to the operator as an incident', async () => {
    receiver.answer = status(401, { 'www-authenticate': 'Signature error="webhook_signature_key_unknown"' });
    const row = await sender.attempt(await recorded());
    expect(row).toMatchObject({ state: 'pending', attempts: [{ signature_error: 'webhook_signature_key_unknown' }] });
    const line = sender.logged
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ delivery_id, msg }) => delivery_id === row.delivery_id && String(msg).startsWith('signing incident'));
    expect(line).toMatchObject({ level: 50, task_id: row.task_id, signature_error: 'webhook_signature_key_unknown' });
  });

  it('[W7] Retry-After is honoured up to twice the step', async () => {
    receiver.answer = status(429, { 'retry-after': '8' });
    let row = await sender.attempt(await recorded());
    expect(Date.parse(row.next_attempt_at ?? '') - sender.clock.now()).toBe(8000);
    receiver.answer = status(503, { 'retry-after': '3600' });
    row = await sender.attemptWhenDue(row);
    expect(Date.parse(row.next_attempt_at ?? '') - sender.clock.now()).toBe(60_000);
  });

  it('[W7] a receiver that always fails is tried 12 times by the schedule and never again', async () => {
    receiver.answer = status(500);
    let row = await recorded();
    const times: number[] = [];
    while (row.next_attempt_at !== null) {
      row = await sender.attemptWhenDue(row);
      times.push(sender.clock.now());
    }
    expect(times.map((time, n) => time - (times[n - 1] ?? time))).toEqual(RETRY_STEPS_MS);
    expect(row).toMatchObject({ state: 'exhausted', next_attempt_at: null });
    expect(receiver.received).toHaveLength(12);
    sender.clock.advance(86_400_000);
    await sender.attempt(row);
    expect(receiver.received).toHaveLength(12);
  });

  it('[W7] nothing is sent under a key 24 hours after its first attempt', async () => {
    receiver.answer = status(500);
    const row = await sender.attempt(await recorded());
    sender.clock.advance(24 * 3_600_000);
    expect((await sender.attempt(row)).state).toBe('exhausted');
    expect(receiver.received).toHaveLength(1);
  });
});

describe('jobs that are not owed', () => {
  it('of an attempt made already do nothing', async () => {
    const row = await sender.attempt(await recorded());
    const { delivery_id, destination } = row;
    await sender.webhooks.attempt({ delivery_id, destination, attempt: 1 }, new AbortController().signal);
    await sender.webhooks.attempt({ delivery_id, destination, attempt: 2 }, new AbortController().signal);
    await sender.webhooks.attempt({ delivery_id: 'unknown', destination, attempt: 1 }, new AbortController().signal);
    expect(receiver.received).toHaveLength(1);
  });

  it('that come early are parked until they are due', async () => {
    receiver.answer = status(500);
    const { delivery_id, destination } = await sender.attempt(await recorded());
    const job = { delivery_id, destination, attempt: 2 };
    expect(await sender.webhooks.attempt(job, new AbortController().signal)).toEqual({ parkMs: 5000 });
    expect(receiver.received).toHaveLength(1);
  });
});

it('an attempt cut short by a stopping process is not recorded, and goes again with the same bytes', async () => {
  const stop = new AbortController();
  receiver.answer = () => {
    stop.abort(new Error('stopping'));
  };
  const row = await recorded();
  await expect(sender.attempt(row, stop.signal)).rejects.toThrow('stopping');
  expect((await sender.deliveries.get(row.delivery_id))?.attempts).toEqual([]);
  receiver.answer = status(204);
  expect((await sender.attempt(row)).state).toBe('delivered');
  expect(receiver.request(2).rawBody.equals(receiver.request(1).rawBody)).toBe(true);
});

it('two workers with the same attempt record it once', async () => {
  const row = await recorded();
  const [one, two] = await Promise.all([sender.attempt(row), sender.attempt(row)]);
  expect([one.attempts.length, two.attempts.length]).toEqual([1, 1]);
});

describe('[W8] a receiver that takes too long', () => {
  let hasty: Sender;
  const timeouts = { connectTimeoutMs: LONG_MS, totalTimeoutMs: LONG_MS };
  beforeAll(async () => {
    hasty = await openSender({ timeouts });
  });
  afterAll(() => hasty.close());

  const drip: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => {
      clearInterval(timer);
    });
  };
  const hang: Answer = () => undefined;

  it.each<[string, Answer, string]>([
    ['never answers', hang, 'timed out waiting for the answer'],
    ['drips its answer for ever', drip, 'timed out reading the answer'],
  ])('[W8] because it %s is a timeout and tried again', async (_what, answer, error_message) => {
    receiver.answer = answer;
    const attempted = async (totalTimeoutMs: number): Promise<Delivery> => {
      timeouts.totalTimeoutMs = totalTimeoutMs;
      const run = await storedRun(hasty, [registration(receiver.url())]);
      await hasty.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
      return hasty.attempt(await hasty.deliveryOf(run.task_id));
    };
    const row = await withMoreTime(attempted, ({ attempts }) => attempts[0]?.error_message === error_message);
    expect(row).toMatchObject({ state: 'pending', attempts: [{ status: 'timeout', error_message }] });
  });

  it('[W8] an endless answer is cut at 16 KiB and counts by its status', async () => {
    receiver.answer = (response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(8192)));
      };
      response.on('drain', pour);
      pour();
    };
    expect((await sender.attempt(await recorded())).state).toBe('delivered');
  });
});
