import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryInbox } from '#receiver';
import type { Inbox, InboxOptions } from '#receiver';
import { redisInbox, redisReplayStore } from '#receiver/redis/index';
import { until } from '../support/until.ts';
import { openReceivingApp, statusEvent } from './receiving-app.ts';
import { openTestRedis } from './test-redis.ts';

const { redis, prefix, close } = openTestRedis();
afterAll(close);

const inboxes: [string, (options?: InboxOptions) => Inbox][] = [
  ['in memory', memoryInbox],
  ['in Redis', (options) => redisInbox(redis, { ...options, prefix: prefix + randomUUID() })],
];

/** A promise and its ends. */
function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((resolveIt, rejectIt) => {
    resolve = resolveIt;
    reject = rejectIt;
  });
  return { promise, resolve, reject };
}

async function outcomeOf(response: Response): Promise<[number, unknown]> {
  const { outcome, error } = (await response.json()) as Record<string, unknown>;
  return [response.status, outcome ?? error];
}

describe.each(inboxes)('with an inbox %s', (_where, openInbox) => {
  it('[W15] a duplicate is answered 200 and not handled again', async () => {
    const app = await openReceivingApp({ inbox: openInbox() });
    const event = statusEvent();
    expect(await outcomeOf(await app.deliver(event))).toEqual([200, 'handled']);
    expect(await outcomeOf(await app.deliver(event))).toEqual([200, 'duplicate']);
    expect(app.received).toHaveLength(1);
  });

  it('[W15] [C.events.4] the first copy wins, even if the key comes again with another payload', async () => {
    const app = await openReceivingApp({ inbox: openInbox() });
    const event = statusEvent({ status: 'working' });
    await app.deliver(event);
    expect(await outcomeOf(await app.deliver({ ...event, status: 'failed', task_id: 'other' }))).toEqual([
      200,
      'duplicate',
    ]);
    expect(app.received.map(({ event: { status } }) => status)).toEqual(['working']);
  });

  it('[W15] of 20 copies at once one is handled, and all are answered 200 once it is', async () => {
    const begun = deferred();
    const end = deferred();
    const app = await openReceivingApp({
      inbox: openInbox(),
      handler: () => {
        begun.resolve();
        return end.promise;
      },
    });
    const event = statusEvent();
    const answers = Array.from({ length: 20 }, () => app.deliver(event).then(outcomeOf));
    await begun.promise;
    expect(app.outcomes).toEqual([]);
    end.resolve();
    const outcomes = await Promise.all(answers);
    expect(outcomes.filter(([, outcome]) => outcome === 'handled')).toHaveLength(1);
    expect(outcomes.filter(([status, outcome]) => status === 200 && outcome === 'duplicate')).toHaveLength(19);
    expect(app.received).toHaveLength(1);
  });

  it('[W15] a handler that throws releases the claim and is answered 500; the retry is handled', async () => {
    let attempts = 0;
    const app = await openReceivingApp({
      inbox: openInbox(),
      handler: () => {
        attempts += 1;
        if (attempts === 1) throw new Error('not now');
      },
    });
    const event = statusEvent();
    expect(await outcomeOf(await app.deliver(event))).toEqual([500, 'failed']);
    expect(app.outcomes).toMatchObject([{ outcome: 'failed', error: new Error('not now') }]);
    expect(await outcomeOf(await app.deliver(event))).toEqual([200, 'handled']);
    expect(await outcomeOf(await app.deliver(event))).toEqual([200, 'duplicate']);
  });

  it('[W15] a copy that waited for a handler that then failed is handled in its place: no event is lost', async () => {
    const first = deferred();
    let attempts = 0;
    const app = await openReceivingApp({
      inbox: openInbox(),
      handler: () => {
        attempts += 1;
        return attempts === 1 ? first.promise : undefined;
      },
    });
    const event = statusEvent();
    const one = app.deliver(event).then(outcomeOf);
    await until(() => attempts === 1);
    const two = app.deliver(event).then(outcomeOf);
    first.reject(new Error('not now'));
    expect(await one).toEqual([500, 'failed']);
    expect(await two).toEqual([200, 'handled']);
  });

  it('[W15] a copy that has waited long enough is asked to come again, never told that it was handled', async () => {
    const end = deferred();
    const app = await openReceivingApp({ inbox: openInbox(), waitMs: 0, handler: () => end.promise });
    const event = statusEvent();
    const first = app.deliver(event).then(outcomeOf);
    await until(() => app.received.length === 1);
    const copy = await app.deliver(event);
    expect(copy.headers.get('retry-after')).toBe('5');
    expect(await outcomeOf(copy)).toEqual([503, 'busy']);
    end.resolve();
    expect(await first).toEqual([200, 'handled']);
    expect(await outcomeOf(await app.deliver(event))).toEqual([200, 'duplicate']);
  });

  it('[W15] a stale status of the same task is answered 200 and ignored', async () => {
    const app = await openReceivingApp({ inbox: openInbox() });
    const at = (second: number) => `2026-03-01T12:00:0${second}.000Z`;
    await app.deliver(statusEvent({ task_id: 't', status: 'completed', timestamp: at(5) }));
    const stale = await app.deliver(statusEvent({ task_id: 't', status: 'working', timestamp: at(4) }));
    expect(await outcomeOf(stale)).toEqual([200, 'stale']);
    expect(await outcomeOf(await app.deliver(statusEvent({ task_id: 'u', timestamp: at(1) })))).toEqual([
      200,
      'handled',
    ]);
    expect(app.received.map(({ event }) => event.task_id)).toEqual(['t', 'u']);
  });

  it('[W15] states of one task are handled one at a time, so the newest is the last one handled', async () => {
    const running = new Set<unknown>();
    let overlaps = 0;
    const app = await openReceivingApp({
      inbox: openInbox(),
      handler: async ({ event }) => {
        running.add(event.timestamp);
        if (running.size > 1) overlaps += 1;
        await new Promise((resolve) => setImmediate(resolve));
        running.delete(event.timestamp);
      },
    });
    const states = Array.from({ length: 10 }, (_, i) =>
      statusEvent({
        task_id: 't',
        status: i === 9 ? 'completed' : 'working',
        timestamp: `2026-03-01T12:00:0${i}.000Z`,
      }),
    );
    const answers = await Promise.all([...states].reverse().map((state) => app.deliver(state)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(overlaps).toBe(0);
    expect(app.received.at(-1)?.event.status).toBe('completed');
  });

  it('a delivery report that comes late is handled: it is one of a series', async () => {
    const app = await openReceivingApp({ inbox: openInbox() });
    const report = (sequence: number) =>
      statusEvent({
        task_id: 't',
        timestamp: `2026-03-01T12:00:0${sequence}.000Z`,
        result: { notification_type: 'scheduled', sequence_number: sequence },
      });
    await app.deliver(report(2));
    expect(await outcomeOf(await app.deliver(report(1)))).toEqual([200, 'handled']);
  });

  it('a sender that has used up its share is answered 429', async () => {
    const app = await openReceivingApp({ inbox: openInbox({ eventsPerSender: 1 }) });
    expect((await app.deliver(statusEvent())).status).toBe(200);
    const response = await app.deliver(statusEvent());
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('5');
  });
});

describe('several receivers', () => {
  it('[W12] [W15] sharing one Redis handle an event once and refuse a replay, whichever it reaches', async () => {
    const shared = { prefix: prefix + randomUUID() };
    const open = () => openReceivingApp({ inbox: redisInbox(redis, shared), replay: redisReplayStore(redis, shared) });
    const apps = await Promise.all([open(), open(), open()]);
    const event = statusEvent();
    const answers = await Promise.all(Array.from({ length: 5 }, () => apps.map((app) => app.deliver(event))).flat());
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200));
    expect(apps.flatMap(({ received }) => received)).toHaveLength(1);
  });
});

describe('a memory that fails', () => {
  it('is answered 500, and the sender tries again', async () => {
    const down = () => Promise.reject(new Error('down'));
    const app = await openReceivingApp({ inbox: { claim: down, finish: down, release: down } });
    expect((await app.deliver(statusEvent())).status).toBe(500);
    expect(app.received).toEqual([]);
  });
});
