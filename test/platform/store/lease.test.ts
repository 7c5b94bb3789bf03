import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { createLeases, LeaseRows } from '../../../src/platform/store/lease.ts';
import type { Lease, Leases } from '../../../src/platform/store/lease.ts';
import type { Collection } from '../../../src/platform/store/collection.ts';
import { installation, testClock } from '../../directory/support/installation.ts';
import type { TestClock } from '../../directory/support/installation.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';

const SECOND = 1000;
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

interface Process {
  leases: Leases;
  clock: TestClock;
  /** Resolves once this process has tried so many times more to take a lease. */
  looks(times: number): Promise<void>;
}

/** Processes on one store whose clocks differ by so much. */
async function processes(...skews: number[]): Promise<{ rows: Collection<Lease>; all: Process[]; now: number }> {
  const place = await installation([LeaseRows]);
  cleanUp.push(() => place.close());
  const now = place.clock.now();
  const all = skews.map((skew): Process => {
    const clock = testClock(now + skew);
    const waiting: { left: number; resolve: () => void }[] = [];
    const store = withStoreHooks(place.store, {
      after({ kind }) {
        if (kind !== 'insert') return;
        for (const one of waiting) if ((one.left -= 1) === 0) one.resolve();
      },
    });
    return {
      leases: createLeases(() => store.collection(LeaseRows), clock),
      clock,
      looks: (times) =>
        new Promise((resolve) => {
          waiting.push({ left: times, resolve });
        }),
    };
  });
  return { rows: place.store.collection(LeaseRows), all, now };
}

describe('a lease', () => {
  it.each([
    ['at the same time', 0],
    ['whose clock is ten seconds behind', -10 * SECOND],
    ['whose clock is ten seconds ahead', 10 * SECOND],
  ])('keeps out another process %s until the work is done', async (_, skew) => {
    const { rows, all } = await processes(0, skew);
    const [one, other] = all as [Process, Process];
    const over = new AbortController();
    const opened = once(over.signal, 'abort');
    const order: string[] = [];
    const first = one.leases.hold('work', async () => {
      await opened;
      order.push('first');
    });
    await one.looks(1);
    const looks = other.looks(3);
    const second = other.leases.hold('work', () => Promise.resolve(order.push('second')));
    await looks;
    over.abort();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(await rows.get('work')).toBeUndefined();
  });

  it.each([
    ['of one that was killed ends when it is not renewed', 15 * SECOND, 16 * SECOND],
    ['that was taken before the clock was set back by an hour is not believed', 3_600 * SECOND, 0],
  ])('%s', async (_, heldForMs, passMs) => {
    const { rows, all, now } = await processes(0);
    const [one] = all as [Process];
    await rows.insert({ name: 'work', holder: 'killed', held_until: toTimestamp(now + heldForMs), revision: 1 });
    one.clock.advance(passMs);
    expect(await one.leases.hold('work', () => Promise.resolve('done'))).toBe('done');
  });

  it('is waited for no longer by who is told to stop, and stays the other one’s', async () => {
    const { rows, all } = await processes(0, 0);
    const [one, other] = all as [Process, Process];
    const over = new AbortController();
    const opened = once(over.signal, 'abort');
    const first = one.leases.hold('work', () => opened);
    await one.looks(1);
    const held = await rows.get('work');
    const stop = new AbortController();
    const looks = other.looks(2);
    const second = other.leases.hold('work', () => Promise.reject(new Error('not its turn')), stop.signal);
    const outcome = expect(second).rejects.toThrow('told to stop');
    await looks;
    stop.abort(new Error('told to stop'));
    await outcome;
    expect(await rows.get('work')).toEqual(held);
    over.abort();
    await first;
  });

  it('tells the work of who is told to stop', async () => {
    const { rows, all } = await processes(0);
    const [one] = all as [Process];
    const stop = new AbortController();
    const working = one.leases.hold(
      'work',
      (signal) => {
        stop.abort(new Error('told to stop'));
        signal.throwIfAborted();
        return Promise.resolve();
      },
      stop.signal,
    );
    await expect(working).rejects.toThrow('told to stop');
    expect(await rows.get('work')).toBeUndefined();
  });
});
