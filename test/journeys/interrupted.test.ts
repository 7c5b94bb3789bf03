import { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_GATE_SETTINGS } from '../../src/platform/redis/destination-gate.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { bundle } from '../support/bundle.ts';
import { startChild } from './support/child.ts';
import { beginStory, expectTheWholeStory } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

/** What opens a destination's breaker. */
const FAILURES = DEFAULT_GATE_SETTINGS.failuresToOpen;

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** Empties a Redis as an operator's slip would. */
async function flush(url: string): Promise<void> {
  const redis = new Redis(url.replace('unix://', ''));
  await redis.flushall();
  await redis.quit();
}

// Workers killed at each of their writes: crash.test.ts.
describeOnStores('on %s, nothing is lost and nothing happens twice when', (store) => {
  it('[C.events.4] the server is killed right after it answered', async () => {
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const agent = await startTestAgent(store, { working: false });
    cleanUp.push(() => agent.stop());
    const server = await startChild(await bundle('src/main/server.ts'), { ...agent.env, PUBLIC_URL: '' }, ['--json']);
    const story = await beginStory({ ...agent, baseUrl: String(server.ready['base_url']) }, receiver);
    await server.kill('SIGKILL');
    expect(story.state).toBe('TASK_STATE_SUBMITTED');
    // Its address was the newest, and what was asked of it is done by those who know that.
    const worker = await startChild(await bundle('src/main/worker.ts'), { ...agent.env, PUBLIC_URL: '' }, ['--json']);
    cleanUp.push(() => worker.kill('SIGTERM'));
    await expectTheWholeStory(story);
  });

  it('[C.events.4] Redis forgets everything in the middle of the work', async () => {
    const receiver = await openReceiver((response, n) => {
      // The first attempts fail until the breaker opens, so that deliveries wait in the queue when it is emptied.
      response.writeHead(n <= FAILURES ? 503 : 204).end();
    });
    cleanUp.push(() => receiver.close());
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const agent = await startTestAgent(store, { working: false, env: { REDIS_URL: redis.url } });
    cleanUp.push(() => agent.stop());
    const stories = await Promise.all(Array.from({ length: 10 }, () => beginStory(agent, receiver)));
    await flush(redis.url);
    agent.work();
    await receiver.arrived(FAILURES);
    await flush(redis.url);
    for (const story of stories) await expectTheWholeStory(story);
  });
});
