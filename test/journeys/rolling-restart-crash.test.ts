import { afterAll, expect } from 'vitest';
import { itOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { ask, eventsOf, send, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { ADDED, BUDGET, createInput } from './support/outage/campaigns.ts';
import { addressOf, openFleet } from './support/rolling/fleet.ts';
import { startLoad } from './support/rolling/steady-load.ts';
import { subscribe } from './support/rolling/subscription.ts';

/** Media buys between one replacement and the next. */
const BETWEEN = 6;

const cleanUp: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
}, 300_000);

itOnStores(
  '[S9] [W1] [T1] on %s, servers and workers replaced one after another under load refuse no request, lose nothing and do nothing twice',
  async (store) => {
    const settings = { DRAIN_SECONDS: '3', APPROVAL_OVER_USD: String(BUDGET + ADDED) };
    const { agent, balancer, start, operate } = await openFleet(store, settings, cleanUp);
    const servers = [await start('server'), await start('server')];
    const workers = [await start('worker'), await start('worker')];
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());

    const format_id = { agent_url: agent.baseUrl, id: 'display_300x250' };
    const assets = { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } };
    await ask(agent, 'sync_creatives', {
      creatives: [{ creative_id: 'banner', name: 'Banner', format_id, assets }],
    });
    const large = createInput();
    for (const one of large['packages'] as Json[]) one['budget'] = 10 * BUDGET;
    const waiting = taskOf(await send(agent, 'create_media_buy', large)).id;
    const approval_id = await until(async () => {
      const { approvals } = (await operate('GET', '/approvals')) as { approvals: { approval_id: string }[] };
      return approvals[0]?.approval_id;
    });
    const followed = subscribe(agent, waiting);
    const load = startLoad(agent, receiver.url());

    for (const old of [...servers, ...workers]) {
      const isServer = servers.includes(old);
      await load.more(BETWEEN);
      await start(isServer ? 'server' : 'worker');
      old.process.kill('SIGTERM');
      if (isServer) await balancer.drained(addressOf(old));
      await load.more(BETWEEN);
      expect([await old.ended, old.output.stderr]).toEqual([0, '']);
    }
    await load.more(BETWEEN);
    await load.stop();
    await operate('POST', `/approvals/${approval_id}/approve`);
    await followed.over;

    expect(balancer.failed).toEqual([]);
    // The server that told it was replaced.
    expect(followed.ends()).toBeGreaterThan(1);
    expect(followed.states.at(-1)).toBe('TASK_STATE_COMPLETED');
    const { bought } = load;
    const tasks = bought.flatMap(({ task_ids }) => task_ids);
    const isTold = (id: string) => eventsOf(receiver.received, id).some(({ body }) => body['status'] === 'completed');
    await until(() => tasks.every(isTold));
    for (const id of tasks) {
      const events = eventsOf(receiver.received, id);
      expect(events.map(({ body, copies }) => [body['status'], copies])).toEqual([
        ...events.slice(0, -1).map(() => ['working', 1]),
        ['completed', 1],
      ]);
    }
    expect(new Set(bought.map(({ media_buy_id }) => media_buy_id)).size).toBe(bought.length);
    for (const { media_buy_id, buyer_ref } of bought) {
      const { media_buys } = (await ask(agent, 'get_media_buys', { buyer_ref })) as { media_buys: Json[] };
      expect(media_buys).toMatchObject([{ media_buy_id, total_budget: BUDGET + ADDED }]);
    }
  },
  1_200_000,
);
