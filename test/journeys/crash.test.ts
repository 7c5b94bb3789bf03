import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_GATE_SETTINGS } from '../../src/platform/destination-gate.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buy.ts';
import { Deliveries } from '../../src/webhooks/delivery.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { eventsOf, mediaBuyInput, send, taskOf } from './support/buyer.ts';
import { bundle, launch, startChild } from './support/child.ts';
import { STORES, startTestAgent } from './support/test-agent.ts';
import type { StoreKind, TestAgent } from './support/test-agent.ts';

const WORKER = 'test/journeys/support/crashing-worker.ts';
/** More than the story writes; a worker that is never killed is ended by the test. */
const MOST_WRITES = 12;
const AT_ONCE = 3;
/** What opens a destination's breaker. */
const FAILURES = DEFAULT_GATE_SETTINGS.failuresToOpen;

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(cleanUp.splice(0).map((close) => close()));
}, 60_000);

/** Empties a Redis as an operator's slip would. */
async function flush(url: string): Promise<void> {
  const redis = new Redis(url.replace('unix://', ''));
  await redis.flushall();
  await redis.quit();
}

async function openStory(store: StoreKind, receiver: Receiver) {
  const agent = await startTestAgent(store, { working: false });
  cleanUp.push(() => agent.stop());
  const input = mediaBuyInput(agent, { push_notification_config: { url: receiver.url(), operation_id: 'op' } });
  const { id } = taskOf(await send(agent, 'create_media_buy', input));
  return { agent, id, buyer_ref: String(input['buyer_ref']) };
}

/** Answers once both deliveries of a task are recorded, or when the time of a test is over. */
function allDelivered(agent: TestAgent, task_id: string): Promise<string> {
  const deliveries = agent.core.store.collection(Deliveries);
  return until(async () => {
    const { rows } = await deliveries.find({ where: { task_id } });
    return rows.filter(({ state }) => state === 'delivered').length === 2;
  }, 60_000).then(
    () => 'delivered',
    () => 'never delivered',
  );
}

/** Both events, each with one body and one key whatever happened in between, and one media buy. */
async function expectTheWholeStory(agent: TestAgent, receiver: Receiver, id: string, buyer_ref: string): Promise<void> {
  await until(() => eventsOf(receiver.received, id).some(({ body }) => body['status'] === 'completed'), 60_000);
  await until(() => eventsOf(receiver.received, id).some(({ body }) => body['status'] === 'working'), 60_000);
  const events = eventsOf(receiver.received, id);
  expect(events.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
  expect(events.every(({ bytes }) => bytes.size === 1)).toBe(true);
  const organization_id = 'org_demo_buyer';
  const { rows } = await agent.core.store.collection(MediaBuys).find({ where: { organization_id, buyer_ref } });
  expect(rows).toHaveLength(1);
}

describe.each(STORES)('on %s, nothing is lost and nothing happens twice when', (store) => {
  it('[W1] [T1] the worker is killed before, during or after any write of the story', async () => {
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const points = Array.from({ length: MOST_WRITES }, (_, i) => i + 1).flatMap((n) =>
      ['before', 'during', 'after'].map((moment) => `${moment}:${n}`),
    );
    const program = await bundle(WORKER);
    const stories: Awaited<ReturnType<typeof openStory>>[] = [];
    let killed = 0;
    const crashNext = async (): Promise<void> => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) {
        const story = await openStory(store, receiver);
        stories.push(story);
        const worker = launch(program, { ...story.agent.env, CRASH_AT: point });
        const outcome = await Promise.race([worker.ended, allDelivered(story.agent, story.id)]);
        if (outcome === 'SIGKILL') killed += 1;
        else await worker.kill('SIGKILL');
        story.agent.work();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, crashNext));
    expect(killed).toBeGreaterThanOrEqual(24);
    for (const { agent, id, buyer_ref } of stories) await expectTheWholeStory(agent, receiver, id, buyer_ref);
  }, 480_000);

  it('[C.events.4] the server is killed right after it answered', async () => {
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const agent = await startTestAgent(store, { working: false });
    cleanUp.push(() => agent.stop());
    const server = await startChild('src/main/server.ts', { ...agent.env, PUBLIC_URL: '' }, ['--json']);
    const other = { ...agent, baseUrl: String(server.ready['base_url']) };
    const asked = { url: receiver.url(), operation_id: 'op' };
    const input = mediaBuyInput(agent, { push_notification_config: asked });
    const { id, state } = taskOf(await send(other, 'create_media_buy', input));
    await server.kill('SIGKILL');
    expect(state).toBe('TASK_STATE_SUBMITTED');
    agent.work();
    await expectTheWholeStory(agent, receiver, id, String(input['buyer_ref']));
  }, 120_000);

  it('[C.events.4] Redis forgets everything in the middle of the work', async () => {
    const receiver = await openReceiver((response, n) => {
      // The first attempts fail until the breaker opens, so that deliveries wait in the queue when it is emptied.
      response.writeHead(n <= FAILURES ? 503 : 204).end();
    });
    cleanUp.push(() => receiver.close());
    const redis = await startOwnRedis();
    const agent = await startTestAgent(store, { working: false, env: { REDIS_URL: redis.url } });
    cleanUp.push(() => agent.stop().then(() => redis.stop()));
    const asked = { url: receiver.url(), operation_id: 'op' };
    const inputs = Array.from({ length: 10 }, () => mediaBuyInput(agent, { push_notification_config: asked }));
    const tasks = await Promise.all(inputs.map((input) => send(agent, 'create_media_buy', input)));
    await flush(redis.url);
    agent.work();
    await receiver.arrived(FAILURES);
    await flush(redis.url);
    for (const [i, task] of tasks.entries()) {
      await expectTheWholeStory(agent, receiver, taskOf(task).id, String(inputs[i]?.['buyer_ref']));
    }
  }, 120_000);
});
