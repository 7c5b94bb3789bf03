import { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { compose } from '../../src/main/wiring/compose.ts';
import { startWork } from '../../src/main/wiring/worker-process.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/hours.ts';
import { exampleCreative } from '../../src/sales/creative/example-creative.ts';
import { mediaBuyId } from '../support/ids.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { ask, mediaBuyInput } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** Far ahead, so that a store that drops old rows by its own clock drops none of these. */
const BOOKED_MS = Date.parse('2041-03-07T09:17:23.456Z');

/** The time of all processes: it passes as the story goes on, and by a second at each look while the story waits. */
const clock = {
  nowMs: BOOKED_MS,
  now() {
    return this.nowMs;
  },
};
const inDays = (days: number) => toTimestamp(BOOKED_MS + days * DAY_MS);

function eventually<T>(look: () => Promise<T>) {
  return until(() => {
    // Two workers at one flight may each leave it to the other, which is over after 30 s.
    clock.nowMs += 1_000;
    return look();
  });
}

/** Another worker of the installation. Answers how to end it. */
async function startWorker({ core: { config, log, baseUrl } }: TestAgent): Promise<() => Promise<void>> {
  const core = await compose({ config, log, baseUrl, clock });
  const work = startWork(core);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= work.stop().then(() => core.close()));
  cleanUp.push(stop);
  return stop;
}

describeOnStores('on %s, with workers that come and go and a Redis that forgets', (store) => {
  it('[B2] a start, a flight’s end and a spent budget each move a buy once', async () => {
    clock.nowMs = BOOKED_MS;
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const env = { REDIS_URL: redis.url, CREATIVE_REVIEW_SECONDS: '0' };
    const agent = await startTestAgent(store, { env, clock });
    cleanUp.push(() => agent.stop());
    const stopSecond = await startWorker(agent);

    const format = [...agent.core.catalog.formats.values()].find(({ format_id }) => format_id.id === 'ctv_15s');
    if (format === undefined) throw new Error('the catalog has no ctv_15s');
    const book = async (budget: number, endDays: number) => {
      const creatives = [exampleCreative(format, 'spot', 'Spot')];
      const line = { product_id: 'ctv_run_of_service', pricing_option_id: 'ctv_ros_fixed_usd', budget, creatives };
      const times = { start_time: inDays(3), end_time: inDays(endDays) };
      const made = await ask(agent, 'create_media_buy', mediaBuyInput(agent, { packages: [line], ...times }));
      return made as Json & { media_buy_id: string; packages: { package_id: string }[] };
    };
    const ends = await book(10_000, 9);
    const spends = await book(2_000_000, 200);
    const reaches = ({ media_buy_id }: { media_buy_id: string }, status: string) =>
      eventually(async () => {
        const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
        return buy?.status === status && buy;
      });

    clock.nowMs = BOOKED_MS + 3 * DAY_MS;
    await reaches(ends, 'active');
    const other = new Redis(redis.url.replace('unix://', ''));
    await other.flushall();
    await other.quit();
    await stopSecond();
    await reaches(spends, 'active');
    await startWorker(agent);
    const { media_buy_id } = spends;
    const spent = async () => {
      const told = await ask(agent, 'get_media_buy_delivery', { media_buy_id });
      return (told['delivery'] as { spend: number }).spend;
    };
    const isCountedUntil = (ms: number) =>
      eventually(async () => {
        const flight = await agent.core.sales.flights.get(mediaBuyId(media_buy_id));
        return Date.parse(flight?.recorded_until ?? '') > ms;
      });
    // The ad server has heard of the start once the first hours are counted; it delivers from then on.
    clock.nowMs += 2 * HOUR_MS;
    await isCountedUntil(BOOKED_MS + 3 * DAY_MS + HOUR_MS);
    clock.nowMs += 34 * HOUR_MS;
    await isCountedUntil(clock.nowMs - 2 * HOUR_MS);
    expect(await spent()).toBeGreaterThan(5_000);
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
    // The hour in which it was paused is counted once it is over.
    const pausedMs = clock.nowMs;
    clock.nowMs += 3 * HOUR_MS;
    await isCountedUntil(pausedMs + HOUR_MS);
    const budget = await spent();
    const packages = [{ package_id: spends.packages[0]?.package_id, budget }];
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { packages, status: 'active' } });

    clock.nowMs = BOOKED_MS + 9 * DAY_MS + HOUR_MS;
    const over = await Promise.all([reaches(ends, 'completed'), reaches(spends, 'completed')]);
    const [ended, spentOut] = over.map(({ history }) => history);
    const actions = (history: typeof ended) =>
      history?.map(({ action }) => action).filter((one) => one !== 'readiness_changed');
    expect(actions(ended)).toEqual(['created', 'activated', 'completed']);
    expect(ended?.at(-1)?.note).toBe('flight ended');
    expect(actions(spentOut)).toEqual(['created', 'activated', 'paused', 'updated', 'resumed', 'completed']);
    expect(spentOut?.at(-1)?.note).toBe('budget spent');
    expect(await spent()).toBe(budget);
  });
});
