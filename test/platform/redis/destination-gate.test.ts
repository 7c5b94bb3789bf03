import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDestinationGate } from '../../../src/platform/redis/destination-gate-redis.ts';
import { DEFAULT_GATE_SETTINGS } from '../../../src/platform/redis/destination-gate.ts';
import type { DestinationGate, GateEnd, GateVerdict } from '../../../src/platform/redis/destination-gate.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { until } from '../../support/until.ts';
import { startSwallowingProxy } from '../support/swallowing-proxy.ts';

const T0 = Date.UTC(2026, 0, 1);
const prefix = `t-${randomUUID()}`;
const open = () =>
  createDestinationGate({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix,
    logger: createLogger('error'),
    settings: { maxInFlight: 8, ratePerSecond: 20 },
  });

/** Two processes' gates on one Redis. */
let gate: DestinationGate;
let other: DestinationGate;
beforeAll(() => {
  gate = open();
  other = open();
});
afterAll(() => Promise.all([gate.close(), other.close()]));

const fresh = () => `https://${randomUUID()}.example`;

async function enter(destination: string, nowMs: number, by = gate): Promise<string> {
  const verdict = await by.enter(destination, nowMs);
  if (!verdict.allowed) throw new Error(`refused: ${verdict.reason}`);
  return verdict.permit;
}

async function pass(destination: string, nowMs: number, end: Partial<GateEnd> = {}): Promise<void> {
  const permit = await enter(destination, nowMs);
  await gate.leave(destination, permit, { outcome: 'ok', nowMs, tookMs: 10, ...end });
}

async function fail(destination: string, nowMs: number, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await pass(destination, nowMs, { outcome: 'failed' });
}

async function enterAll(destination: string, nowMs: number, count: number): Promise<GateVerdict[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => (n % 2 === 0 ? gate : other).enter(destination, nowMs)));
}

const allowed = (verdicts: GateVerdict[]) => verdicts.filter((verdict) => verdict.allowed).length;

describe('a gate without bursts', () => {
  it('spaces requests evenly, and says to all that wait when the next may go', async () => {
    const even = createDestinationGate({
      connection: process.env['REDIS_TEST_URL'] ?? '',
      prefix,
      logger: createLogger('error'),
      settings: { maxInFlightUnproven: 99, maxInFlightSuspect: 99, burstMs: 0 },
    });
    onTestFinished(() => even.close());
    const destination = fresh();
    const at = async (ms: number, ratePerSecond: number) => {
      const verdict = await even.enter(destination, T0 + ms, { ratePerSecond });
      return verdict.allowed ? 'goes' : verdict.waitMs;
    };
    expect([await at(0, 4), await at(0, 4), await at(0, 4), await at(249, 4)]).toEqual(['goes', 250, 250, 1]);
    expect([await at(250, 4), await at(1000, 1), await at(1100, 1)]).toEqual(['goes', 'goes', 900]);
    // Nobody waits longer than by its own pace: not for a slower one of before, nor for a clock that runs ahead.
    expect([await at(1100, 4), await at(1350, 4)]).toEqual([250, 'goes']);
    expect([await at(3_600_000, 4), await at(2000, 4), await at(2250, 4)]).toEqual(['goes', 250, 'goes']);
  });
});

describe('requests in flight to one destination', () => {
  it('are capped over all processes, lower until it has answered', async () => {
    const destination = fresh();
    expect(allowed(await enterAll(destination, T0, 12))).toBe(DEFAULT_GATE_SETTINGS.maxInFlightUnproven);
    const proven = fresh();
    await pass(proven, T0);
    expect(allowed(await enterAll(proven, T0, 12))).toBe(8);
  });

  it('are capped low once one is kept waiting, so that a hanging receiver holds few places', async () => {
    const destination = fresh();
    await pass(destination, T0);
    await enter(destination, T0);
    expect(allowed(await enterAll(destination, T0 + 1001, 10))).toBe(1);
  });

  it('do not touch other destinations', async () => {
    await enterAll(fresh(), T0, 12);
    expect(allowed([await gate.enter(fresh(), T0)])).toBe(1);
  });

  it('make room when they end, and when their process died without a word', async () => {
    const destination = fresh();
    const [first] = await enterAll(destination, T0, 4);
    expect((await gate.enter(destination, T0)).allowed).toBe(false);
    if (first?.allowed !== true) throw new Error('refused');
    await gate.leave(destination, first.permit, { outcome: 'unknown', nowMs: T0, tookMs: 0 });
    expect((await gate.enter(destination, T0)).allowed).toBe(true);
    expect((await gate.enter(destination, T0)).allowed).toBe(false);
    expect((await gate.enter(destination, T0 + DEFAULT_GATE_SETTINGS.forgetAfterMs + 1)).allowed).toBe(true);
  });

  it('that are refused are each given a time of their own', async () => {
    const destination = fresh();
    const verdicts = await enterAll(destination, T0, 30);
    const waits = verdicts.flatMap((verdict) => (verdict.allowed ? [] : [verdict.waitMs]));
    expect(waits).toHaveLength(26);
    expect(new Set(waits).size).toBeGreaterThan(20);
    expect(Math.max(...waits)).toBeLessThan(2000);
  });
});

it('the rate holds over all processes', async () => {
  const destination = fresh();
  let count = 0;
  for (let n = 0; n < 60; n++) {
    const verdict = await (n % 2 === 0 ? gate : other).enter(destination, T0 + n);
    if (!verdict.allowed) continue;
    count++;
    await gate.leave(destination, verdict.permit, { outcome: 'ok', nowMs: T0 + n, tookMs: 1 });
  }
  expect(count).toBeGreaterThanOrEqual(20);
  expect(count).toBeLessThanOrEqual(23);
  expect((await gate.enter(destination, T0 + 1100)).allowed).toBe(true);
});

describe('the circuit breaker', () => {
  it('opens after 5 failures in a row, for every process', async () => {
    const destination = fresh();
    await fail(destination, T0, 4);
    expect((await other.enter(destination, T0)).allowed).toBe(true);
    const broken = fresh();
    await fail(broken, T0, 5);
    expect(await other.enter(broken, T0)).toMatchObject({ allowed: false, reason: 'closed' });
    expect(await other.stateOf(broken, T0)).toEqual({
      in_flight: 0,
      consecutive_failures: 5,
      closed_until: T0 + DEFAULT_GATE_SETTINGS.openMs,
    });
  });

  it('stays shut while failures are not in a row', async () => {
    const destination = fresh();
    for (let n = 0; n < 6; n++) {
      await fail(destination, T0 + n * 1000, 3);
      await pass(destination, T0 + n * 1000);
    }
    expect((await gate.enter(destination, T0 + 7000)).allowed).toBe(true);
  });

  it('half open lets one probe through over all processes', async () => {
    const destination = fresh();
    await fail(destination, T0, 5);
    expect(allowed(await enterAll(destination, T0 + 5001, 10))).toBe(1);
  });

  it('closes again twice as long after a failed probe, at most a minute, and forgets with a good one', async () => {
    const destination = fresh();
    await fail(destination, T0, 5);
    let now = T0;
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      const { closed_until = 0 } = await gate.stateOf(destination, now);
      waits.push(closed_until - now);
      now = closed_until + 1;
      await fail(destination, now, 1);
    }
    expect(waits).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    now += 60_001;
    await pass(destination, now);
    expect(allowed(await enterAll(destination, now, 5))).toBe(5);
  });

  it('is not prolonged by requests that were under way together', async () => {
    const destination = fresh();
    await pass(destination, T0);
    const permits = await Promise.all(Array.from({ length: 8 }, () => enter(destination, T0)));
    for (const permit of permits) {
      await gate.leave(destination, permit, { outcome: 'failed', nowMs: T0 + 500, tookMs: 500 });
    }
    expect((await gate.stateOf(destination, T0 + 500)).closed_until).toBe(T0 + 5500);
  });

  it('gives a backlog of refused requests wake-up times that are spread', async () => {
    const destination = fresh();
    await fail(destination, T0, 5);
    const verdicts = await enterAll(destination, T0, 200);
    const waits = verdicts.flatMap((verdict) => (verdict.allowed ? [] : [verdict.waitMs])).sort((a, b) => a - b);
    expect(waits[0]).toBeGreaterThan(5000);
    expect((waits.at(-1) ?? 0) - (waits[0] ?? 0)).toBeGreaterThan(1500);
  });
});

describe('a pause', () => {
  it('that the other side asked for holds for every process, and then ends', async () => {
    const destination = fresh();
    await pass(destination, T0, { pauseMs: 30_000 });
    expect(await other.enter(destination, T0 + 29_000)).toMatchObject({ allowed: false, reason: 'closed' });
    expect((await other.enter(destination, T0 + 30_001)).allowed).toBe(true);
  });

  it('and failures are forgotten by a reset', async () => {
    const destination = fresh();
    await fail(destination, T0, 5);
    await other.reset(destination);
    expect((await gate.enter(destination, T0)).allowed).toBe(true);
  });
});

it('with a Redis that hangs requests pass', async () => {
  const redis = await startOwnRedis();
  const proxy = await startSwallowingProxy(redis.url.replace('unix://', ''));
  const connection = `redis://127.0.0.1:${proxy.port}`;
  const hanging = createDestinationGate({ connection, prefix, logger: createLogger('silent') });
  try {
    const destination = fresh();
    await until(async () => {
      await hanging.enter(destination, T0);
      return (await hanging.stateOf(destination, T0)).in_flight > 0;
    });
    proxy.swallow();
    const verdict = await hanging.enter(destination, T0);
    expect(verdict).toMatchObject({ allowed: true });
    if (verdict.allowed) await hanging.leave(destination, verdict.permit, { outcome: 'ok', nowMs: T0, tookMs: 10 });
  } finally {
    await hanging.close();
    await proxy.close();
    await redis.stop();
  }
});

it('with Redis away requests pass', async () => {
  const lonely = createDestinationGate({
    connection: 'unix:///nonexistent/redis.sock',
    prefix,
    logger: createLogger('fatal'),
  });
  expect((await lonely.enter(fresh(), T0)).allowed).toBe(true);
  await lonely.leave(fresh(), 'x', { outcome: 'ok', nowMs: T0, tookMs: 1 });
  await lonely.close();
});
