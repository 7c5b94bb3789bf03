import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/platform/hours.ts';
import { exampleCreative } from '../../src/sales/creative/example-creative.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { ask, mediaBuyInput } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { startChild } from './support/child.ts';
import { STORES, startTestAgent } from './support/test-agent.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** A day and a half of every flight each second. */
const SIM_SPEED = '129600';
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

describe.each(STORES)('on %s, with workers that come and go and a Redis that forgets', (store) => {
  it('[B2] a start, a flight’s end and a spent budget each move a buy once', async () => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const env = { REDIS_URL: redis.url, SIM_SPEED, CREATIVE_REVIEW_SECONDS: '0' };
    const agent = await startTestAgent(store, { env });
    cleanUp.push(() => agent.stop());
    const second = await startChild('src/main/worker.ts', agent.env, ['--json']);
    cleanUp.push(() => second.kill('SIGTERM'));

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
      until(async () => {
        const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
        return buy?.status === status && buy;
      }, 60_000);

    await reaches(ends, 'active');
    const other = new Redis(redis.url.replace('unix://', ''));
    await other.flushall();
    await other.quit();
    await second.kill('SIGTERM');
    await reaches(spends, 'active');
    const third = await startChild('src/main/worker.ts', agent.env, ['--json']);
    cleanUp.push(() => third.kill('SIGTERM'));
    const { media_buy_id } = spends;
    const spent = async () => {
      const told = await ask(agent, 'get_media_buy_delivery', { media_buy_id });
      return (told['delivery'] as { spend: number }).spend;
    };
    await until(async () => (await spent()) > 5_000, 60_000);
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
    // The hour in which it was paused is counted once it is over.
    const flightMs = () => agent.core.sales.flightClock.now({ created_at: String(spends['created_at']) });
    const pausedMs = flightMs();
    await until(() => flightMs() > pausedMs + 3 * 3_600_000);
    await until(async () => {
      const flight = await agent.core.sales.flights.get(media_buy_id);
      return Date.parse(flight?.recorded_until ?? '') > pausedMs + 3_600_000;
    });
    const budget = await spent();
    const packages = [{ package_id: spends.packages[0]?.package_id, budget }];
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { packages, status: 'active' } });

    const over = await Promise.all([reaches(ends, 'completed'), reaches(spends, 'completed')]);
    const [ended, spentOut] = over.map(({ history }) => history);
    const actions = (history: typeof ended) =>
      history?.map(({ action }) => action).filter((one) => one !== 'readiness_changed');
    expect(actions(ended)).toEqual(['created', 'activated', 'completed']);
    expect(ended?.at(-1)?.note).toBe('flight ended');
    expect(actions(spentOut)).toEqual(['created', 'activated', 'paused', 'updated', 'resumed', 'completed']);
    expect(spentOut?.at(-1)?.note).toBe('budget spent');
    expect(await spent()).toBe(budget);
  }, 120_000);
});
