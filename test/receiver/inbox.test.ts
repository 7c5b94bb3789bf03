import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryInbox } from '#receiver';
import type { Inbox, InboxEvent, InboxOptions } from '#receiver';
import { redisInbox } from '#receiver/redis/index';
import { openTestRedis } from './test-redis.ts';

const { redis, nodeRedis, prefix, close } = openTestRedis();
afterAll(close);

const DAY = 86_400_000;
const KNOWN = DAY + 300_000;
const now = Date.now();
const inboxes: [string, (options?: InboxOptions) => Inbox][] = [
  ['in memory', memoryInbox],
  ['in Redis', (options) => redisInbox(redis, { ...options, prefix: prefix + randomUUID() })],
  ['in Redis by node-redis', (options) => redisInbox(nodeRedis, { ...options, prefix: prefix + randomUUID() })],
];

function event(idempotencyKey: string, order?: InboxEvent['order'], sender = 's'): InboxEvent {
  return { sender, idempotencyKey, order };
}

describe.each(inboxes)('the inbox %s', (_where, open) => {
  async function handled(inbox: Inbox, given: InboxEvent, at = now): Promise<string> {
    const claim = await inbox.claim(given, 'me', at);
    if (claim === 'claimed') await inbox.finish(given, 'me', at);
    return claim;
  }

  it('[W15] lets one of many copies at once be handled', async () => {
    const inbox = open();
    const claims = await Promise.all(Array.from({ length: 30 }, (_, i) => inbox.claim(event('k'), `o${i}`, now)));
    expect(claims.filter((claim) => claim === 'claimed')).toHaveLength(1);
    expect(claims.filter((claim) => claim === 'busy')).toHaveLength(29);
  });

  it('[W15] [C.limits.dedup] knows a handled event for 24 hours, and five minutes for clocks that differ', async () => {
    const inbox = open();
    expect(await handled(inbox, event('k'))).toBe('claimed');
    expect(await handled(inbox, event('k'), now + 1)).toBe('duplicate');
    expect(await handled(inbox, event('k'), now + KNOWN - 1)).toBe('duplicate');
    expect(await handled(inbox, event('k'), now + KNOWN)).toBe('claimed');
  });

  it('[W15] keeps senders apart', async () => {
    const inbox = open();
    expect(await handled(inbox, event('k', undefined, 'a'))).toBe('claimed');
    expect(await handled(inbox, event('k', undefined, 'b'))).toBe('claimed');
    expect(await handled(inbox, event('k', undefined, 'a'))).toBe('duplicate');
  });

  it('[W15] gives a released event to the next copy', async () => {
    const inbox = open();
    expect(await inbox.claim(event('k'), 'one', now)).toBe('claimed');
    await inbox.release(event('k'), 'one');
    expect(await inbox.claim(event('k'), 'two', now)).toBe('claimed');
  });

  it('[W15] lets nobody release the claim of another', async () => {
    const inbox = open();
    const given = event('k', { subject: 'task t', at: 5 });
    await inbox.claim(given, 'one', now);
    await inbox.release(given, 'two');
    expect(await inbox.claim(given, 'two', now)).toBe('busy');
  });

  it('[W15] calls a state stale that is older than the newest handled one', async () => {
    const inbox = open();
    expect(await handled(inbox, event('b', { subject: 'task t', at: 20 }))).toBe('claimed');
    expect(await handled(inbox, event('a', { subject: 'task t', at: 19.5 }))).toBe('stale');
    expect(await handled(inbox, event('c', { subject: 'task t', at: 20 }))).toBe('claimed');
    expect(await handled(inbox, event('d', { subject: 'task u', at: 1 }))).toBe('claimed');
    expect(await handled(inbox, event('e', { subject: 'task t', at: 1 }, 'another'))).toBe('claimed');
    expect(await handled(inbox, event('f'))).toBe('claimed');
  });

  it('[W15] a state that was released does not make older ones stale', async () => {
    const inbox = open();
    const newer = event('b', { subject: 'task t', at: 20 });
    await inbox.claim(newer, 'one', now);
    await inbox.release(newer, 'one');
    expect(await handled(inbox, event('a', { subject: 'task t', at: 10 }))).toBe('claimed');
  });

  it('[W15] handles one state of a subject at a time', async () => {
    const inbox = open();
    const [older, newer] = [event('a', { subject: 'task t', at: 10 }), event('b', { subject: 'task t', at: 20 })];
    expect(await inbox.claim(newer, 'one', now)).toBe('claimed');
    expect(await inbox.claim(older, 'two', now)).toBe('busy');
    await inbox.finish(newer, 'one', now);
    expect(await inbox.claim(older, 'two', now)).toBe('stale');
  });

  it('refuses more events of one sender than its share', async () => {
    const inbox = open({ eventsPerSender: 2 });
    expect(await handled(inbox, event('a'))).toBe('claimed');
    expect(await handled(inbox, event('b'))).toBe('claimed');
    expect(await handled(inbox, event('c'))).toBe('full');
    expect(await handled(inbox, event('a'))).toBe('duplicate');
    expect(await handled(inbox, event('c', undefined, 'another'))).toBe('claimed');
    expect(await handled(inbox, event('c'), now + KNOWN)).toBe('claimed');
  });

  it('refuses to remember for less than 24 hours', () => {
    expect(() => open({ retentionMs: DAY - 1 })).toThrow(RangeError);
  });
});

describe('a claim whose process died', () => {
  it('[W15] in memory is given to the next copy after the lease', async () => {
    const inbox = memoryInbox({ leaseMs: 1000 });
    const given = event('k', { subject: 'task t', at: 1 });
    expect(await inbox.claim(given, 'dead', now)).toBe('claimed');
    expect(await inbox.claim(given, 'next', now + 999)).toBe('busy');
    expect(await inbox.claim(given, 'next', now + 1000)).toBe('claimed');
    await inbox.release(given, 'dead');
    expect(await inbox.claim(given, 'third', now + 1001)).toBe('busy');
  });

  it('[W15] in Redis ends by itself after the lease, for the event and its subject', async () => {
    const own = prefix + randomUUID();
    await redisInbox(redis, { leaseMs: 600_000, prefix: own }).claim(
      event('k', { subject: 'task t', at: 1 }),
      'dead',
      now,
    );
    const keys = await redis.keys(`${own}*`);
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      const left = await redis.pttl(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(600_000);
    }
  });
});

describe('the inbox in Redis', () => {
  it('[W15] is one for all processes, and leaves nothing behind that never expires', async () => {
    const own = prefix + randomUUID();
    const given = event('k', { subject: 'task t', at: 1 });
    const first = redisInbox(redis, { prefix: own });
    await first.claim(given, 'one', now);
    await first.finish(given, 'one', now);
    expect(await redisInbox(redis, { prefix: own }).claim(given, 'two', now)).toBe('duplicate');
    for (const key of await redis.keys(`${own}*`)) expect(await redis.pttl(key)).toBeGreaterThan(DAY - 60_000);
  });
});
