import { Redis } from 'ioredis';
import { afterEach, expect } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import { knownAccount } from '../../src/sales/account/account.ts';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { bundle } from '../support/bundle.ts';
import { seededChance } from '../support/chance.ts';
import { deathOf, faultText, MOMENTS } from '../support/fault-point.ts';
import { organizationId } from '../support/ids.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { itOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { launch } from './support/child.ts';
import { TIMEOUT_MS } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';

const organization_id = organizationId('org_demo_buyer');
/** Each takes three writes at the least until it is told: the verdict, its delivery, and that it is told. */
const CREATIVES = 24;
const MAX_WRITES = Math.floor((3 * CREATIVES) / MOMENTS.length) - 1;

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

itOnStores(
  '[D5.accounts] on %s, every verdict is told once though workers are killed at their writes and Redis forgets everything',
  async (store) => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const receiver = await openReceiver((response, _, { body }) =>
      response.writeHead(200).end(JSON.stringify({ challenge: body['challenge'] })),
    );
    cleanUp.push(() => receiver.close());
    const agent = await startTestAgent(store, { env: { REDIS_URL: redis.url }, working: false });
    cleanUp.push(() => agent.stop());
    const { accountWebhooks, sales, clock } = agent.core;
    const key = { brand_domain: 'acme.example', brand_id: null, operator: 'acme.example', sandbox: false };
    const config = { subscriber_id: 'main', url: receiver.url(), event_types: ['creative.status_changed' as const] };
    const sealed = accountWebhooks.seal({ ...config, active: true }, 'config');
    await accountWebhooks.set(await knownAccount(sales, organization_id, key), { configs: [sealed], set_by: '1' });
    const at = toTimestamp(clock.now());
    const ids = Array.from({ length: CREATIVES }, (_, i) => `c-${i}`);
    for (const creative_id of ids)
      await sales.creatives.insert(
        sampleCreative({
          ...{ organization_id, creative_id, creative_key: creativeKey(organization_id, creative_id) },
          ...{ status: 'pending_review', submitted_at: at, review_due_at: at },
        }),
      );

    const program = await bundle('test/journeys/support/crashing-worker.ts');
    const chance = seededChance(`verdicts on ${store}`);
    for (const moment of chance.shuffled(MOMENTS)) {
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
    const delivered = async () => {
      const where = { organization_id, state: 'delivered' as const };
      return (await agent.core.store.collection(Deliveries).find({ where, limit: 1000 })).rows;
    };
    await until(async () => (await delivered()).length >= CREATIVES, TIMEOUT_MS);
    await until(async () => (await sales.creatives.count({ untold_since: { gt: '' } })) === 0, TIMEOUT_MS);
    const told = receiver.received.map(({ body }) => body).filter((body) => body['type'] === undefined);
    const once = new Map(told.map((body) => [body['idempotency_key'], body]));
    expect([...once.values()].map((body) => String(body['creative_id'])).sort()).toEqual(ids.toSorted());
    expect(await delivered()).toHaveLength(CREATIVES);
  },
  600_000,
);
