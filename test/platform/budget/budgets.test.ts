import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/platform/errors.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import { startSwallowingProxy } from '../support/swallowing-proxy.ts';
import { openBudgets } from '../../support/open-budgets.ts';
import { startOwnRedis } from '../../support/own-redis.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

function opened(setup: Parameters<typeof openBudgets>[0] = {}) {
  const { budgets, close } = openBudgets(setup);
  cleanUp.push(close);
  return budgets;
}

/** A clock that stands, so that no share runs out. */
const clock = { now: () => Date.parse('2026-03-01T00:00:00.000Z') };

async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error('it was not refused');
}

describe('[S2.refusal] a refusal', () => {
  it('is RATE_LIMITED, and names the budget, its size and unit, and when it is free again', async () => {
    const budgets = opened({ clock });
    for (let i = 0; i < 20; i++) await budgets.take('resolve_properties', 'a');
    const { code, message, details } = await refusalOf(budgets.take('resolve_properties', 'a'));
    const retry_after = details.retry_after ?? 0;
    expect(code).toBe('RATE_LIMITED');
    expect(retry_after).toBeGreaterThan(0);
    expect(retry_after).toBeLessThanOrEqual(60);
    expect(details.details).toEqual({
      budget: {
        ...{ name: 'resolve_properties', size: 20, unit: 'requests a minute' },
        free_at: new Date(clock.now() + retry_after * 1000).toISOString(),
      },
    });
    expect(message).toBe(`at most 20 requests a minute for each address: try again in ${retry_after} seconds`);
  });

  it('says of what is held, and of rows, what to do, and no time that nobody knows', async () => {
    const budgets = opened({ clock, sizes: { feed_streams: 1, agents: 2 } });
    await budgets.hold('feed_streams', 'a');
    const held = await refusalOf(budgets.hold('feed_streams', 'a'));
    expect(held.details).toEqual({
      details: { budget: { name: 'feed_streams', size: 1, unit: 'streams of the feed', free_at: null } },
    });
    expect(held.message).toContain('close a stream first');
    budgets.checkRows('agents', 1);
    expect(() => {
      budgets.checkRows('agents', 2);
    }).toThrow('at most 2 agents for each organization: delete one that is gone');
  });

  it('is counted by budget alone, beside the size of each', async () => {
    const counters = createMetrics();
    const budgets = opened({ counters, sizes: { check_properties: 1 } });
    counters.gauge('budget_size', () => budgets.sizes().map(([budget, value]) => ({ labels: { budget }, value })));
    await budgets.take('check_properties', '203.0.113.7');
    await refusalOf(budgets.take('check_properties', '203.0.113.7'));
    const text = await counters.text();
    expect(text).toContain('mba_budget_refused_total{budget="check_properties"} 1\n');
    expect(text).toContain('mba_budget_size{budget="check_properties"} 1\n');
    expect(text).toContain('mba_budget_size{budget="property_reports"} 64\n');
    expect(text).not.toContain('203.0.113.7');
  });
});

describe('[S2.processes] what is spent', () => {
  it('holds over processes, and takes nothing from whoever is refused', async () => {
    const prefix = randomUUID();
    const [one, other] = [
      opened({ prefix, sizes: { property_reports: 1 } }),
      opened({ prefix, sizes: { property_reports: 1 } }),
    ];
    await one.take('property_reports', 'a', 600_000);
    await refusalOf(other.take('property_reports', 'a', 600_000));
    await other.take('property_reports', 'a', 400_000);
    await refusalOf(one.check('property_reports', 'a'));
    await refusalOf(one.take('property_reports', 'a', 1));
    await one.take('property_reports', 'b', 1_000_000);
  });

  it('can be given back', async () => {
    const budgets = opened({ sizes: { join_requests: 1 } });
    const { giveBack } = await budgets.take('join_requests', 'a');
    await giveBack();
    await budgets.take('join_requests', 'a');
    await refusalOf(budgets.take('join_requests', 'a'));
  });

  it('is there as a whole at once, at one process or two, when it is drawn in shares, and not one more', async () => {
    const [prefix, sizes] = [randomUUID(), { requests: 200 }];
    const [one, other] = [opened({ prefix, sizes, clock }), opened({ prefix, sizes, clock })];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 260 }, (_, n) => (n % 2 === 0 ? one : other).draw('requests', 'org_a')),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
  });

  it('says of what is drawn how much is left: all that no process took, and what this one has in hand', async () => {
    const [prefix, sizes] = [randomUUID(), { requests: 200 }];
    const [one, other] = [opened({ prefix, sizes, clock }), opened({ prefix, sizes, clock })];
    const left = async (of: typeof one) => (await of.draw('requests', 'org_a')).left;
    expect([await left(one), await left(one)]).toEqual([199, 198]);
    // The other one does not know of the eight that the first has in hand, and is told nothing of them until it asks.
    expect([await left(other), await left(one)]).toEqual([189, 197]);
  });

  it('costs fifty requests of one moment no more than they are', async () => {
    const budgets = opened();
    await Promise.all(Array.from({ length: 50 }, () => budgets.draw('requests', 'org_a')));
  });

  it('lets a large amount be drawn besides small ones, to the last of it', async () => {
    const budgets = opened({ clock, sizes: { stored_bytes: 1 } });
    await Promise.all([10, 500_000, 20, 400_000].map((bytes) => budgets.draw('stored_bytes', 'org_a', bytes)));
    await refusalOf(budgets.draw('stored_bytes', 'org_a', 200_000));
  });
});

describe('[S2.away] while Redis is away or has forgotten', () => {
  it('each process counts for itself what is spent and held, so that no budget disappears', async () => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const proxy = await startSwallowingProxy(redis.url.replace('unix://', ''));
    cleanUp.push(() => proxy.close());
    const sizes = { crawl_publisher: 2, feed_streams: 2 };
    const budgets = opened({ connection: `redis://127.0.0.1:${proxy.port}`, sizes });
    await budgets.take('crawl_publisher', 'a');
    proxy.swallow();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => budgets.take('crawl_publisher', 'b')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const places = await Promise.allSettled(Array.from({ length: 5 }, () => budgets.hold('feed_streams', 'b')));
    expect(places.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  it('what is spent begins anew after a flush', async () => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const budgets = opened({ connection: redis.url, sizes: { crawl_publisher: 1 } });
    await budgets.take('crawl_publisher', 'a');
    await refusalOf(budgets.take('crawl_publisher', 'a'));
    const direct = new Redis(redis.url.replace('unix://', ''));
    await direct.flushall();
    await direct.quit();
    await budgets.take('crawl_publisher', 'a');
  });
});

it('[S2.processes] places that are held count over processes, and are free again once they are let go', async () => {
  const [prefix, sizes] = [randomUUID(), { feed_streams: 2 }];
  const [one, other] = [opened({ prefix, sizes }), opened({ prefix, sizes })];
  const first = await one.hold('feed_streams', 'a');
  await other.hold('feed_streams', 'a');
  await refusalOf(one.hold('feed_streams', 'a'));
  await refusalOf(other.hold('feed_streams', 'a'));
  first.letGo();
  first.letGo();
  await one.hold('feed_streams', 'b');
  await other.hold('feed_streams', 'a');
  await refusalOf(other.hold('feed_streams', 'a'));
});
