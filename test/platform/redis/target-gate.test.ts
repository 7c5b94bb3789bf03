import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import type { GateEnd, GateVerdict } from '../../../src/platform/redis/destination-gate.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import { DEFAULT_TARGET_GATE_SETTINGS } from '../../../src/platform/redis/target-gate.ts';
import type { GateTarget, TargetGate, TargetGateSettings } from '../../../src/platform/redis/target-gate.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { until } from '../../support/until.ts';
import { startSwallowingProxy } from '../support/swallowing-proxy.ts';

const T0 = Date.UTC(2026, 0, 1);
const { openMs, failuresToOpen, maxInFlightUnproven, maxTargets, originMaxInFlight } = DEFAULT_TARGET_GATE_SETTINGS;

const open = (settings: Partial<TargetGateSettings> = {}, connection = process.env['REDIS_TEST_URL'] ?? '') =>
  createTargetGate({ connection, prefix, logger: createLogger('error'), settings });
const prefix = `t-${randomUUID()}`;

/** Two processes' gates on one Redis. */
let gate: TargetGate;
let other: TargetGate;
beforeAll(() => {
  gate = open();
  other = open();
});
afterAll(() => Promise.all([gate.close(), other.close()]));

const fresh = (): GateTarget => ({ organization_id: 'org', origin: `https://${randomUUID()}.example`, path: '/hooks' });
const elsewhere = (target: GateTarget, n = 0): GateTarget => ({ ...target, path: `/elsewhere-${n}` });

async function enter(target: GateTarget, nowMs = T0, by = gate): Promise<string> {
  const verdict = await by.enter(target, nowMs);
  if (!verdict.allowed) throw new Error(`refused: ${verdict.reason}`);
  return verdict.permit;
}

async function pass(target: GateTarget, nowMs = T0, end: Partial<GateEnd> = {}, by = gate): Promise<void> {
  await by.leave(target, await enter(target, nowMs, by), { outcome: 'accepted', nowMs, tookMs: 10, ...end });
}

/** A target at an origin that has accepted a request, for another path. */
async function known(): Promise<GateTarget> {
  const target = fresh();
  await pass({ ...target, path: '/known' });
  return target;
}

async function fail(target: GateTarget, times = failuresToOpen): Promise<void> {
  for (let n = 0; n < times; n++) await pass(target, T0, { outcome: 'failed' });
}

const goes = async (target: GateTarget, nowMs = T0, by = gate) => (await by.enter(target, nowMs)).allowed;

async function enterAll(targets: readonly GateTarget[], nowMs = T0): Promise<GateVerdict[]> {
  return Promise.all(targets.map((target, n) => (n % 2 === 0 ? gate : other).enter(target, nowMs)));
}
const allowed = (verdicts: readonly GateVerdict[]) => verdicts.filter((verdict) => verdict.allowed).length;
const times = (count: number, target: GateTarget) => Array.from({ length: count }, () => target);

describe('[W18] what belongs to a target', () => {
  it('[W18] is its breaker: another path, and another organization, go on', async () => {
    const target = await known();
    await fail(target);
    expect(await other.enter(target, T0)).toMatchObject({ allowed: false, reason: 'closed' });
    expect(await goes(elsewhere(target), T0, other)).toBe(true);
    expect(await goes({ ...target, organization_id: 'neighbour' }, T0, other)).toBe(true);
    expect(await goes(target, T0 + openMs + 1, other)).toBe(true);
  });

  it('[W18] is a pause that it asked for', async () => {
    const target = await known();
    await pass(target, T0, { pauseMs: 30_000 });
    expect(await other.enter(target, T0 + 29_000)).toMatchObject({ allowed: false, reason: 'closed' });
    expect(await goes({ ...target, organization_id: 'neighbour' }, T0 + 29_000)).toBe(true);
    expect(await goes(target, T0 + 30_001)).toBe(true);
  });

  it('[W18] is what it has in flight', async () => {
    const target = await known();
    expect(allowed(await enterAll(times(12, target)))).toBe(maxInFlightUnproven);
    expect(allowed(await enterAll(times(12, elsewhere(target))))).toBe(maxInFlightUnproven);
  });

  it('[W18] is its rate, and the origin has one of its own', async () => {
    const limited = open({ ratePerSecond: 5, originRatePerSecond: 8, maxInFlightUnproven: 99 });
    onTestFinished(() => limited.close());
    const target = await known();
    const all = async (to: GateTarget) => {
      let count = 0;
      while ((await limited.enter(to, T0)).allowed) count++;
      return count;
    };
    // A second's worth at once, and the one that is due.
    expect([await all(target), await all(elsewhere(target))]).toEqual([6, 3]);
  });
});

describe('the room at a target', () => {
  const roomOf = (target: GateTarget, nowMs = T0) => other.roomOf(target, nowMs);
  const { maxInFlight } = DEFAULT_TARGET_GATE_SETTINGS;

  it('is one while its origin is a stranger, and then what it bears; asking takes nothing of it', async () => {
    const target = fresh();
    expect([await roomOf(target), await roomOf(target)]).toEqual(Array(2).fill({ waitMs: 0, room: 1 }));
    await pass(elsewhere(target), T0, { outcome: 'ok' });
    expect(await roomOf(target, T0 + 1)).toEqual({ waitMs: 999, room: 1 });
    await pass(target, T0 + 1000);
    expect(await roomOf(target, T0 + 1000)).toEqual({ waitMs: 0, room: maxInFlight });
  });

  it('is none while it is closed, and one for the probe', async () => {
    const target = await known();
    await fail(target);
    expect((await roomOf(target)).waitMs).toBe(openMs);
    expect(await roomOf(target, T0 + openMs)).toEqual({ waitMs: 0, room: 1 });
    expect(await roomOf(elsewhere(target))).toEqual({ waitMs: 0, room: maxInFlight });
  });

  it('is that of the shared gate beyond 64 targets', async () => {
    const target = await known();
    for (let n = 1; n < maxTargets; n++) await pass(elsewhere(target, n));
    await fail(elsewhere(target, 1000));
    expect((await roomOf(elsewhere(target, 1001))).waitMs).toBe(openMs);
    expect((await roomOf(elsewhere(target, 1))).waitMs).toBe(0);
  });
});

describe('[W18] a probe', () => {
  const probe = (target: GateTarget, nowMs = T0) => gate.enter(target, nowMs, { isProbe: true });
  const end = (outcome: GateEnd['outcome'], nowMs = T0): GateEnd => ({ outcome, nowMs, tookMs: 10 });

  it('[W18] goes through an open breaker, alone, and opens it to all when it is answered', async () => {
    const target = await known();
    await fail(target);
    const first = await probe(target);
    if (!first.allowed) throw new Error('the breaker lets no probe through');
    expect(first.isProven).toBe(false);
    expect((await probe(target)).allowed).toBe(false);
    await gate.leave(target, first.permit, end('ok'));
    expect(await goes(target, T0, other)).toBe(true);
  });

  it('[W18] that fails prolongs nothing', async () => {
    const target = await known();
    await fail(target);
    for (let n = 0; n < 3; n++) {
      const verdict = await probe(target, T0 + n);
      if (!verdict.allowed) throw new Error('no probe');
      await gate.leave(target, verdict.permit, end('failed', T0 + n));
    }
    expect(await goes(target, T0 + openMs - 1)).toBe(false);
    expect(await goes(target, T0 + openMs)).toBe(true);
  });

  it('[W18] waits for what the other side asked for, and at a stranger’s door like all', async () => {
    const target = await known();
    await fail(target, failuresToOpen - 1);
    await pass(target, T0, { outcome: 'failed', pauseMs: openMs + 1000 });
    expect((await probe(target)).allowed).toBe(false);
    expect((await probe(target, T0 + openMs)).allowed).toBe(false);
    expect((await probe(target, T0 + openMs + 1000)).allowed).toBe(true);
    const stranger = fresh();
    expect((await probe(stranger)).allowed).toBe(true);
    expect((await probe(elsewhere(stranger))).allowed).toBe(false);
  });
});

describe('[W18] an organization’s targets at an origin', () => {
  it('[W18] are 64, and all others share one gate', async () => {
    const target = await known();
    for (let n = 1; n < maxTargets; n++) await pass(elsewhere(target, n));
    const [one, two] = [elsewhere(target, 1000), elsewhere(target, 1001)];
    await fail(one);
    expect(await goes(two)).toBe(false);
    expect(await goes(elsewhere(target, 5))).toBe(true);
    expect(await goes({ ...two, organization_id: 'neighbour' })).toBe(true);
    const { targets } = await other.stateOf(target.origin, T0);
    expect(targets[0]).toMatchObject({ organization_id: 'org', path: undefined, consecutive_failures: failuresToOpen });
  });

  it('[W18] that are used no more make room after a day', async () => {
    const target = await known();
    for (let n = 1; n < maxTargets; n++) await pass(elsewhere(target, n));
    const later = T0 + 25 * 3_600_000;
    await pass(target, later);
    await pass(elsewhere(target, 1000), later, { outcome: 'failed' });
    expect((await gate.stateOf(target.origin, later)).targets[0]?.path).toBe('/elsewhere-1000');
  });
});

describe('[W18] what an origin has in flight', () => {
  const mostOfOne = originMaxInFlight / 2;

  it('[W18] is for one organization half of it at most, and of that a half where nothing is known to answer well', async () => {
    const target = await known();
    const many = Array.from({ length: 60 }, (_, n) => times(maxInFlightUnproven, elsewhere(target, n))).flat();
    expect(allowed(await enterAll(many))).toBe(mostOfOne / 2);
    // All of it hangs, and neither what answers well nor another organization is kept out.
    const later = T0 + 2000;
    const well = { ...target, path: '/known' };
    expect(allowed(await enterAll(times(10, well), later))).toBe(10);
    expect(await goes({ ...target, organization_id: 'neighbour' }, later)).toBe(true);
  });

  it('[W18] has room again when processes died without a word', async () => {
    const target = await known();
    const many = Array.from({ length: 60 }, (_, n) => times(maxInFlightUnproven, elsewhere(target, n))).flat();
    await enterAll(many);
    expect(await goes(target)).toBe(false);
    expect(await goes(target, T0 + DEFAULT_TARGET_GATE_SETTINGS.forgetAfterMs + 1)).toBe(true);
  });
});

describe('[W18] an origin that has never accepted a request', () => {
  it('[W18] gets one a second, from all organizations, paths and processes together', async () => {
    const target = fresh();
    const all = Array.from({ length: 20 }, (_, n) => ({ ...elsewhere(target, n), organization_id: `org-${n}` }));
    for (let second = 0; second < 3; second++) {
      expect(allowed(await enterAll(all, T0 + second * 1000))).toBe(1);
      expect(allowed(await enterAll(all, T0 + second * 1000 + 999))).toBe(0);
    }
    expect(await gate.stateOf(target.origin, T0)).toMatchObject({ is_known: false });
  });

  it.each(['ok', 'failed', 'unknown'] as const)('[W18] is none that has one %s', async (outcome) => {
    const target = fresh();
    await pass(target, T0, { outcome });
    expect(await gate.enter(elsewhere(target), T0 + 500)).toMatchObject({ allowed: false, waitMs: 502 });
  });

  it('[W18] is like any other with the first that it accepts, for every process', async () => {
    const target = fresh();
    await pass(target);
    expect(allowed(await enterAll(times(maxInFlightUnproven, elsewhere(target))))).toBe(maxInFlightUnproven);
    expect(await other.stateOf(target.origin, T0)).toMatchObject({ is_known: true });
  });

  it('[W18] is not spent by a request that was never sent', async () => {
    const target = fresh();
    await pass(target, T0, { outcome: 'unsent' });
    expect(await goes(elsewhere(target))).toBe(true);
    expect(await goes(elsewhere(target))).toBe(false);
  });
});

describe('after a flush', () => {
  it('[W18] processes that have seen an origin accept say so, and those that have not are careful', async () => {
    const redis = await startOwnRedis();
    onTestFinished(() => redis.stop());
    const [one, newcomer] = [open({}, redis.url), open({}, redis.url)];
    onTestFinished(async () => {
      await Promise.all([one.close(), newcomer.close()]);
    });
    const direct = new Redis(redis.url.replace('unix://', ''));
    onTestFinished(async () => {
      await direct.quit();
    });
    const target = fresh();
    await pass(target, T0, {}, one);
    await direct.flushall();
    expect([await goes(target, T0, newcomer), await goes(target, T0, newcomer)]).toEqual([true, false]);
    expect(await goes(target, T0, one)).toBe(true);
    expect(await goes(target, T0, newcomer)).toBe(true);
    // What was in flight meanwhile is given back without harm.
    const permit = await enter(target, T0, one);
    await direct.flushall();
    await one.leave(target, permit, { outcome: 'accepted', nowMs: T0, tookMs: 10 });
    expect(await one.stateOf(target.origin, T0)).toMatchObject({ in_flight: 0, is_known: true });
  });

  it('everything kept has an end', async () => {
    const target = await known();
    await fail(target);
    await enter(elsewhere(target));
    const direct = new Redis((process.env['REDIS_TEST_URL'] ?? '').replace('unix://', ''));
    onTestFinished(async () => {
      await direct.quit();
    });
    const keys = await direct.keys(`${prefix}:gate:*`);
    const ends = await Promise.all(keys.map((key) => direct.pttl(key)));
    expect(keys.length).toBeGreaterThan(5);
    expect(ends.filter((end) => end === -1)).toEqual([]);
  });
});

it('what is in use is kept: a target for a day after its last request at least, an origin that accepts for a week', async () => {
  const HOUR = 3_600_000;
  const own = `t-${randomUUID()}`;
  const at = { connection: process.env['REDIS_TEST_URL'] ?? '', prefix: own, logger: createLogger('error') };
  const busy = createTargetGate({ ...at, settings: { originRatePerSecond: 0.1, burstMs: 1 } });
  const direct = new Redis((process.env['REDIS_TEST_URL'] ?? '').replace('unix://', ''));
  onTestFinished(async () => {
    await Promise.all([busy.close(), direct.quit()]);
  });
  const lives = async () => {
    const keys = await direct.keys(`${own}:gate:*:s`);
    const ends = await Promise.all(keys.map(async (key) => ({ key, ms: await direct.pttl(key) })));
    return ends.sort((a, b) => a.ms - b.ms);
  };
  const target = fresh();
  await pass(target, T0, {}, busy);
  for (const { key } of await lives()) await direct.pexpire(key, 10 * HOUR);
  await pass(target, T0 + HOUR + 1, {}, busy);
  // Its origin refuses, and lives no shorter for that.
  expect(await goes(target, T0 + HOUR + 1, busy)).toBe(false);
  const [state, origin] = await lives();
  expect(state?.ms).toBeGreaterThan(24 * HOUR);
  expect(origin?.ms).toBeGreaterThan(7 * 24 * HOUR);
});

it('an operator’s reset forgets failures and pauses of all targets of an origin, and not that it is known', async () => {
  const target = await known();
  await fail(target);
  await pass({ ...target, organization_id: 'neighbour' }, T0, { pauseMs: 30_000 });
  await other.reset(target.origin);
  expect(await goes(target)).toBe(true);
  expect(await goes({ ...target, organization_id: 'neighbour' })).toBe(true);
  expect(await gate.stateOf(target.origin, T0)).toMatchObject({ is_known: true });
});

it('with a Redis that hangs requests pass', async () => {
  const redis = await startOwnRedis();
  const proxy = await startSwallowingProxy(redis.url.replace('unix://', ''));
  const connection = `redis://127.0.0.1:${proxy.port}`;
  const hanging = createTargetGate({ connection, prefix, logger: createLogger('silent') });
  try {
    const target = fresh();
    await until(async () => {
      await hanging.enter(target, T0);
      return (await hanging.stateOf(target.origin, T0)).in_flight > 0;
    });
    proxy.swallow();
    const verdict = await hanging.enter(target, T0);
    expect(verdict).toMatchObject({ allowed: true, isCounted: false });
    if (verdict.allowed) await hanging.leave(target, verdict.permit, { outcome: 'ok', nowMs: T0, tookMs: 10 });
  } finally {
    await hanging.close();
    await proxy.close();
    await redis.stop();
  }
});

it('with Redis away requests pass', async () => {
  const lonely = createTargetGate({
    connection: 'unix:///nonexistent/redis.sock',
    prefix,
    logger: createLogger('fatal'),
  });
  expect(await goes(fresh(), T0, lonely)).toBe(true);
  await lonely.leave(fresh(), 'x', { outcome: 'ok', nowMs: T0, tookMs: 1 });
  await lonely.close();
});
