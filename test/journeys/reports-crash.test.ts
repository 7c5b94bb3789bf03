import { Redis } from 'ioredis';
import { afterEach, expect } from 'vitest';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { seededChance } from '../support/chance.ts';
import { deathOf, faultText, MOMENTS } from '../support/fault-point.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { send, taskOf } from './support/buyer.ts';
import { bundle } from '../support/bundle.ts';
import { launch } from './support/child.ts';
import { buyInput, DAYS, expectAWholeSeries, isOver, QUICK_FLIGHTS, reportsIn } from './support/reports.ts';
import { TIMEOUT_MS } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import { itOnStores } from '../support/stores.ts';

/** One an hour, and one for all. Each is a write at the least: its delivery is recorded. */
const REPORTS = DAYS * 24 + 1;
/** So many times before, during and after a write. */
const ROUNDS = 2;
const KILLS = MOMENTS.length * ROUNDS;
/** All workers together are dead before the last report is sent, however many writes a report needs. */
const MAX_WRITES = Math.floor((REPORTS - 1) / KILLS);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

itOnStores(
  '[W10] [C.events.4] on %s, no report is lost or numbered twice when workers are killed at their writes and Redis forgets everything',
  async (store) => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const agent = await startTestAgent(store, { env: { ...QUICK_FLIGHTS, REDIS_URL: redis.url }, working: false });
    cleanUp.push(() => agent.stop());
    const reporting_webhook = { url: receiver.url(), reporting_frequency: 'hourly', requested_metrics: ['clicks'] };
    taskOf(await send(agent, 'create_media_buy', buyInput(agent, { reporting_webhook })));

    const program = await bundle('test/journeys/support/crashing-worker.ts');
    const chance = seededChance(`reports on ${store}`);
    for (const moment of chance.shuffled(MOMENTS.flatMap((one) => Array<typeof one>(ROUNDS).fill(one)))) {
      const CRASH_AT = faultText({ what: 'write', moment, n: chance.between(1, MAX_WRITES) });
      const worker = launch(program, { ...agent.env, CRASH_AT });
      cleanUp.push(() => worker.kill('SIGKILL'));
      await worker.ended;
      expect([CRASH_AT, worker.output.stderr, deathOf(worker.output)]).toEqual([CRASH_AT, '', expect.anything()]);
      const client = new Redis(redis.url.replace('unix://', ''));
      await client.flushall();
      await client.quit();
    }
    agent.work();
    await until(isOver(receiver), TIMEOUT_MS);
    await until(async () => {
      const { rows } = await agent.core.store.collection(Deliveries).find({ where: { state: 'pending' } });
      return rows.length === 0;
    }, TIMEOUT_MS);
    const reports = reportsIn(receiver.received);
    const final = expectAWholeSeries(reports);
    expect(reports.length).toBeGreaterThanOrEqual(REPORTS);
    expect(final.media_buy_deliveries[0]?.totals).toEqual({ clicks: expect.any(Number) as number });
  },
  600_000,
);
