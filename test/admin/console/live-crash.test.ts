import { afterAll, expect } from 'vitest';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { startChild } from '../../journeys/support/child.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import { bundle } from '../../support/bundle.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { itOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { visitorOf } from './support/visitor.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
}, 300_000);

itOnStores(
  '[O1.live] on %s, a stream of one server rings for what another process does; with Redis dead pages are fresh still and say so, and once it is back the stream rings for what may have been missed',
  async (store) => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const agent = await startTestAgent(store, { working: false, env: { REDIS_URL: redis.url } });
    cleanUp.push(() => agent.stop());
    const viewer = await visitorOf(agent, 'viewer');
    const abort = new AbortController();
    const { cookie } = viewer;
    const stream = await fetch(`${agent.baseUrl}/admin/live?topics=buys`, {
      headers: { cookie },
      signal: abort.signal,
    });
    let text = '';
    const read = (async () => {
      for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
    })().catch(() => undefined);
    const rings = () =>
      [...text.matchAll(/^event: ring\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as { id: string });

    const first = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent))).id;
    expect((await viewer.get('/tasks?state=submitted')).html).toContain(first);
    // The server writes no media buy: that is the worker's.
    expect(rings()).toEqual([]);
    const worker = await startChild(await bundle('src/main/worker.ts'), agent.env, ['--json']);
    cleanUp.push(() => worker.kill('SIGKILL'));
    const { id } = await until(() => rings()[0]);
    expect(id).not.toBe('');
    expect((await viewer.get('/buys')).html).toContain(id);

    const away = 'The job queues (Redis) do not answer';
    expect((await viewer.get('/tasks?state=submitted')).html).not.toContain(away);
    await redis.crash();
    const second = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent))).id;
    const page = await viewer.get('/tasks?state=submitted');
    expect(page.status).toBe(200);
    expect(page.html).toContain(second);
    expect(page.html).toContain(away);

    const before = rings().length;
    await redis.resume();
    await until(() =>
      rings()
        .slice(before)
        .some((ring) => ring.id === ''),
    );
    await until(async () => !(await viewer.get('/tasks?state=submitted')).html.includes(away));
    abort.abort();
    await read;
    expect(await worker.kill('SIGTERM')).toBe(0);
  },
  600_000,
);
