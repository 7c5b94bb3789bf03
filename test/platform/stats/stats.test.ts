import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import type { Metrics } from '../../../src/platform/metrics/metrics.ts';
import { DAY_MS, floorHour, HOUR_MS } from '../../../src/platform/hours.ts';
import { fromTimestamp } from '../../../src/platform/clock.ts';
import { countOf, p95Of, signedOf } from '../../../src/platform/stats/counted.ts';
import { readStats, STAT_RANGES } from '../../../src/platform/stats/read-stats.ts';
import type { StatPoint, StatRange } from '../../../src/platform/stats/read-stats.ts';
import { OPEN_MS, rollUpHours } from '../../../src/platform/stats/roll-up.ts';
import { MINUTE_MS, startStatRecorder } from '../../../src/platform/stats/stat-recorder.ts';
import type { StatRecorder } from '../../../src/platform/stats/stat-recorder.ts';
import { StatSpans } from '../../../src/platform/stats/stat-span.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { seededChance } from '../../support/chance.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import type { StoreHooks } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';

describeOnStores('what processes counted, minute by minute, on %s', (kind) => {
  let at: Installation;
  /** Begun half a minute after an hour. */
  let startMs: number;
  beforeEach(async () => {
    at = await installation([StatSpans], kind);
    startMs = floorHour(at.clock.now()) + HOUR_MS + MINUTE_MS / 2;
    at.clock.advance(startMs - at.clock.now());
  });
  afterEach(() => at.close());

  interface Counting {
    metrics: Metrics;
    signed: Map<string, number>;
    recorder: StatRecorder;
  }
  function processOn(store: Store, queued = () => 0): Counting {
    const metrics = createMetrics();
    const countQueued = () => Promise.resolve(queued());
    const signed = new Map<string, number>();
    const recorder = startStatRecorder({ ...at, log: silent, store, metrics, signed: () => signed, countQueued });
    return { metrics, signed, recorder };
  }
  const rows = async () => (await at.store.collection(StatSpans).find({ where: {}, limit: 1_000 })).rows;
  const pointsOf = async (range: StatRange): Promise<StatPoint[]> => (await readStats(at, range)).points;
  const sum = (points: readonly StatPoint[], state: string) =>
    points.reduce((all, point) => all + countOf(point, 'tasks', state), 0);
  const finish = ({ metrics }: Counting, state: string, by = 1) => {
    metrics.add('tasks_finished_total', { task_type: by % 2 === 0 ? 'create_media_buy' : 'sync_creatives', state }, by);
  };

  it('is the sum of all processes, in the minute that it was counted in; who counted nothing writes nothing', async () => {
    const [one, two] = [processOn(at.store), processOn(await at.another())];
    finish(one, 'completed', 3);
    finish(one, 'completed', 2);
    finish(two, 'failed');
    one.metrics.observe('task_duration_seconds', { task_type: 'create_media_buy' }, 0.2);
    two.metrics.add('webhook_deliveries_total', { state: 'delivered' }, 7);
    one.signed.set('key.1', 4);
    two.signed.set('key.1', 3).set('$key', 1);
    at.clock.advance(MINUTE_MS);
    await Promise.all([one.recorder.record(), two.recorder.record()]);
    expect(await rows()).toHaveLength(2);
    at.clock.advance(MINUTE_MS);
    await Promise.all([one.recorder.record(), two.recorder.record()]);
    expect(await rows()).toHaveLength(2);
    const points = await pointsOf('hour');
    expect(points).toHaveLength(60);
    const [minute] = points.slice(-3);
    expect(fromTimestamp(minute?.at ?? '')).toBe(startMs - MINUTE_MS / 2);
    expect(minute).toMatchObject({
      counts: { 'tasks completed': 5, 'tasks failed': 1, 'deliveries delivered': 7, 'signed key.1': 7 },
      queued: 0,
    });
    expect([sum(points, 'completed'), sum(points, 'failed')]).toEqual([5, 1]);
    expect(minute && ['key.1', '$key', 'none'].map((kid) => signedOf(minute, kid))).toEqual([7, 1, 0]);
    expect(minute && p95Of(minute, 'tasks')).toBe(0.5);
    await Promise.all([one.recorder.stop(), two.recorder.stop()]);
  });

  it('tells the most that waited, which every process sees', async () => {
    const all = [processOn(at.store, () => 4), processOn(at.store, () => 9)];
    await Promise.all(all.map(({ recorder }) => recorder.record()));
    expect((await pointsOf('hour')).at(-1)?.queued).toBe(9);
    expect((await pointsOf('month')).at(-1)?.queued).toBe(9);
    await Promise.all(all.map(({ recorder }) => recorder.stop()));
  });

  it('comes later, in its own minute and once, when the store did not answer, or not in time', async () => {
    const hooks: StoreHooks = {};
    const counting = processOn(withStoreHooks(at.store, hooks));
    const away = () => Promise.reject(new Error('away'));
    finish(counting, 'completed');
    hooks.before = away;
    at.clock.advance(MINUTE_MS);
    await counting.recorder.record();
    finish(counting, 'completed', 10);
    delete hooks.before;
    hooks.after = away;
    at.clock.advance(MINUTE_MS);
    await counting.recorder.record();
    delete hooks.after;
    at.clock.advance(MINUTE_MS);
    await counting.recorder.record();
    const [first, second] = (await pointsOf('hour')).slice(-4);
    expect([first, second].map((point) => point && countOf(point, 'tasks', 'completed'))).toEqual([1, 10]);
    expect(sum(await pointsOf('hour'), 'completed')).toBe(11);
    await counting.recorder.stop();
  });

  it('is written when the process ends', async () => {
    const counting = processOn(at.store);
    finish(counting, 'canceled');
    await counting.recorder.stop();
    expect(sum(await pointsOf('day'), 'canceled')).toBe(1);
  });

  it('becomes hours, once, by whomever; every range tells the same sums before and after, and loses none', async () => {
    const chance = seededChance('stats by range');
    const [one, two] = [processOn(at.store), processOn(await at.another())];
    let [completed, failed] = [0, 0];
    const reads = async (ranges: readonly StatRange[]) => {
      for (const range of ranges) {
        const points = await pointsOf(range);
        expect([range, sum(points, 'completed'), sum(points, 'failed')]).toEqual([range, completed, failed]);
      }
    };
    const roll = async () => {
      await Promise.all([rollUpHours(at), rollUpHours(at)]);
    };
    for (let hour = 0; hour < 6; hour++) {
      for (let n = chance.between(1, 5); n > 0; n--) {
        const [good, bad] = [chance.between(0, 4), chance.between(0, 2)];
        finish(one, 'completed', good);
        finish(two, 'failed', bad);
        [completed, failed] = [completed + good, failed + bad];
        await Promise.all([one.recorder.record(), two.recorder.record()]);
        at.clock.advance(chance.between(1, 10) * MINUTE_MS);
      }
      await Promise.all([one.recorder.record(), two.recorder.record()]);
      await reads(['day', 'week', 'month']);
      await roll();
      await reads(['day', 'week', 'month']);
      at.clock.advance(floorHour(at.clock.now()) + HOUR_MS + MINUTE_MS - at.clock.now());
    }
    at.clock.advance(OPEN_MS);
    await roll();
    await roll();
    await reads(['day', 'week', 'month']);
    const hours = (await rows()).filter(({ span }) => span === 'hour');
    expect(new Set(hours.map((row) => row.at)).size).toBe(hours.length);
    expect(hours.length).toBeLessThanOrEqual(6);
    at.clock.advance(2 * DAY_MS);
    expect(sum(await pointsOf('day'), 'completed')).toBe(0);
    await reads(['week', 'month']);
    await Promise.all([one.recorder.stop(), two.recorder.stop()]);
  });

  it('leaves an hour open for those whose store was away, and has a step for each that nothing happened in', async () => {
    const counting = processOn(at.store);
    finish(counting, 'completed');
    await counting.recorder.record();
    at.clock.advance(HOUR_MS);
    await rollUpHours(at);
    expect((await rows()).map(({ span }) => span)).toEqual(['minute']);
    at.clock.advance(OPEN_MS);
    await rollUpHours(at);
    expect((await rows()).map(({ span }) => span).toSorted()).toEqual(['hour', 'minute']);
    const lengths = await Promise.all(STAT_RANGES.map(async (range) => (await pointsOf(range)).length));
    expect(lengths).toEqual([60, 24, 168, 30]);
    await counting.recorder.stop();
  });
});

describe('within how long 95 of 100 were done', () => {
  const LONGEST = 86_400;
  const timed = (seconds: readonly number[]) => {
    const metrics = createMetrics();
    for (const one of seconds) metrics.observe('webhook_event_to_delivered_seconds', {}, one);
    const [series] = metrics.series('webhook_event_to_delivered_seconds');
    return p95Of({ counts: {}, times: series ? { deliveries: [...series.counts] } : {} }, 'deliveries');
  };
  it.each([
    ['nothing was timed', [], undefined],
    ['one was', [0.3], 0.5],
    ['5 of 100 took longer', [...Array<number>(95).fill(0.05), ...Array<number>(5).fill(200)], 0.1],
    ['6 of 100 did', [...Array<number>(94).fill(0.05), ...Array<number>(6).fill(200)], 300],
    ['it is the longest that is told apart', [LONGEST], LONGEST],
    ['it is longer than that', [LONGEST + 1], undefined],
  ])('%s', (_what, seconds, expected) => {
    expect(timed(seconds)).toBe(expected);
  });
});
