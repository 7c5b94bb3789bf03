import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeSimulator } from '../../../src/adservers/simulator/description.ts';
import { createDestinationGate } from '../../../src/platform/redis/destination-gate-redis.ts';
import type { DestinationGate } from '../../../src/platform/redis/destination-gate.ts';
import { AD_SERVER_GATE, limitedAdServer } from '../../../src/sales/ad-order/limited.ts';
import type { AdServer } from '../../../src/sales/ad-server/ad-server.ts';
import { keptAdServer } from '../../adservers/http/support/kept-ad-server.ts';
import { anOrder } from '../../adservers/http/support/samples.ts';
import { silent } from '../../directory/support/installation.ts';
import { mediaBuyId } from '../../support/ids.ts';

const T0 = Date.UTC(2026, 0, 1);
const ID = mediaBuyId('mb_1');

/** A clock that goes on, to when the next one wakes, only while nobody waits for Redis. */
function ownTime() {
  let nowMs = T0;
  let busy = 0;
  const sleepers = new Set<{ atMs: number; wake: () => void }>();
  return {
    now: () => nowMs,
    pause: (ms: number) =>
      new Promise<void>((wake) => {
        sleepers.add({ atMs: nowMs + ms, wake });
      }),
    async whileBusy<T>(work: Promise<T>): Promise<T> {
      busy += 1;
      return work.finally(() => (busy -= 1));
    },
    async until<T>(work: Promise<T>): Promise<T> {
      let isOver = false as boolean;
      const end = () => (isOver = true);
      work.then(end, end);
      for (let quiet = 0; !isOver;) {
        await setImmediate();
        quiet = busy > 0 ? 0 : quiet + 1;
        if (quiet < 3) continue;
        quiet = 0;
        nowMs = Math.max(nowMs, Math.min(...[...sleepers].map(({ atMs }) => atMs)));
        for (const sleeper of sleepers) {
          if (sleeper.atMs <= nowMs && sleepers.delete(sleeper)) sleeper.wake();
        }
      }
      return work;
    },
  };
}

/** An ad server that takes so long for a call, and counts. */
function countingAdServer(time: ReturnType<typeof ownTime>, calls_per_second: number) {
  const seen = { starts: [] as number[], puts: [] as string[], atOnce: 0, peak: 0, tookMs: 100 };
  async function counted<T>(answer: T): Promise<T> {
    seen.starts.push(time.now());
    seen.atOnce += 1;
    seen.peak = Math.max(seen.peak, seen.atOnce);
    await time.pause(seen.tookMs);
    seen.atOnce -= 1;
    return answer;
  }
  const { limits, ...able } = describeSimulator(1);
  const adServer: AdServer = {
    ...keptAdServer().adServer,
    describe: () => counted({ ...able, limits: { ...limits, calls_per_second } }),
    read: () => counted({ found: false }),
    put({ state }) {
      seen.puts.push(state);
      return counted({ outcome: 'stale', version: 9 });
    },
  };
  return { adServer, seen };
}

/** Three processes with a gate each, on one Redis. */
function threeProcesses(calls_per_second: number, connection = process.env['REDIS_TEST_URL'] ?? '') {
  const known = { isAway: false };
  const time = ownTime();
  const { adServer, seen } = countingAdServer(time, calls_per_second);
  const prefix = `t-${randomUUID()}`;
  const isAway = () => Promise.resolve(known.isAway);
  const clients = Array.from({ length: 3 }, () => {
    const opened = createDestinationGate({ connection, prefix, logger: silent, settings: AD_SERVER_GATE });
    onTestFinished(() => opened.close());
    const gate: Pick<DestinationGate, 'enter' | 'leave'> = {
      enter: (...told) => time.whileBusy(opened.enter(...told)),
      leave: (...told) => time.whileBusy(opened.leave(...told)),
    };
    return limitedAdServer({ adServer, ad_server_id: 'default', gate, clock: time, pause: time.pause, isAway });
  });
  const [first, second] = clients;
  if (first === undefined || second === undefined) throw new Error('there are three');
  return { time, seen, known, clients, first, second, byTurns: (n: number) => (clients[n % 3] ?? first).adServer };
}

/** The most of them within any second. */
function mostInASecond(starts: readonly number[]): number {
  return Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + 1000).length));
}

describe('an ad server that several processes call', () => {
  it('is called no more often in any second than it says, and not much less', async () => {
    const { time, seen, clients, byTurns } = threeProcesses(8);
    await time.until(Promise.all(clients.map(({ adServer }) => adServer.describe())));
    const before = time.now();
    const calls = Array.from({ length: 48 }, (_, n) => byTurns(n).read(ID));
    await time.until(Promise.all(calls));
    expect(mostInASecond(seen.starts)).toBe(8);
    expect(seen.starts).toHaveLength(51);
    expect(time.now() - before).toBeLessThan(12_000);
  });

  it('has four calls at once at most, whatever it bears', async () => {
    const { time, seen, clients, byTurns } = threeProcesses(1000);
    await time.until(Promise.all(clients.map(({ adServer }) => adServer.describe())));
    seen.tookMs = 2_000;
    await time.until(Promise.all(Array.from({ length: 18 }, (_, n) => byTurns(n).read(ID))));
    expect([seen.peak, seen.starts.length]).toEqual([4, 21]);
  });

  it('gets the slots of a process that died back after the longest that a call may last', async () => {
    const { time, seen, first: dead, second: alive } = threeProcesses(1000);
    await time.until(dead.adServer.describe());
    seen.tookMs = 10 ** 9;
    for (let n = 0; n < 4; n++) void dead.adServer.read(ID);
    await time.until(
      (async () => {
        while (seen.starts.length < 5) await time.pause(1);
      })(),
    );
    const diedAt = time.now();
    seen.tookMs = 1;
    await time.until(alive.adServer.describe());
    expect(time.now() - diedAt).toBeGreaterThan(30_000);
    expect(time.now() - diedAt).toBeLessThan(40_000);
  });

  it('is asked nothing by those who wait, once it is known to be away, but what it can do', async () => {
    const { time, seen, known, clients, first } = threeProcesses(1);
    await time.until(first.adServer.describe());
    const calls = clients.flatMap(({ adServer }) => Array.from({ length: 6 }, () => adServer.read(ID)));
    const outcomes = Promise.allSettled([...calls, time.pause(2_500).then(() => (known.isAway = true))]);
    const refused = (await time.until(outcomes)).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(seen.starts.length - 1 + refused.length).toBe(18);
    for (const one of refused) expect(one).toMatchObject({ reason: { name: 'Unreachable', sent: 'no' } });
    await time.until(first.adServer.describe());
    expect(seen.starts.length + refused.length).toBe(20);
  });

  it('is told what stops an order before what else waits in a process', async () => {
    const { time, seen, first } = threeProcesses(1000);
    const { adServer } = first;
    await time.until(adServer.describe());
    const put = (state: 'running' | 'paused' | 'ended') => adServer.put({ ...anOrder('mb_1'), state });
    const all = [...Array.from({ length: 8 }, () => put('running')), put('paused'), put('ended')];
    await time.until(Promise.all(all));
    expect(seen.puts.slice(4, 6)).toEqual(['paused', 'ended']);
  });

  it('goes on being called without Redis, by each process a quarter as often and one call at a time', async () => {
    const { time, seen, first } = threeProcesses(8, 'redis://127.0.0.1:1');
    const { adServer } = first;
    await time.until(adServer.describe());
    seen.tookMs = 700;
    await time.until(Promise.all(Array.from({ length: 4 }, () => adServer.read(ID))));
    expect([seen.peak, seen.starts.length]).toEqual([1, 5]);
    expect(mostInASecond(seen.starts)).toBeLessThanOrEqual(2);
  });

  it('is not called any more by what waits when its process stops', async () => {
    const { time, seen, first } = threeProcesses(1000);
    await time.until(first.adServer.describe());
    first.close();
    await expect(first.adServer.read(ID)).rejects.toThrow('stopped before the ad server was called');
    expect(seen.starts).toHaveLength(1);
  });
});
