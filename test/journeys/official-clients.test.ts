import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { mediaBuyInput } from './support/buyer.ts';
import { legacyClient, officialClient } from './support/official-clients.ts';
import type { OfficialClient, Seen } from './support/official-clients.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

const CLIENTS = [
  { name: '1.x over JSON-RPC', open: (agent: TestAgent) => officialClient(agent, 'JSONRPC') },
  { name: '1.x over HTTP+JSON', open: (agent: TestAgent) => officialClient(agent, 'HTTP+JSON') },
  { name: '0.3.x over JSON-RPC', open: (agent: TestAgent) => legacyClient(agent, 'JSONRPC') },
  { name: '0.3.x over HTTP+JSON', open: (agent: TestAgent) => legacyClient(agent, 'HTTP+JSON') },
];

describeOnStores('on %s', (store) => {
  let agent: TestAgent;
  let receiver: Receiver;
  beforeAll(async () => {
    // The example buys for 20,000 in two packages: one of them goes through, both need a person.
    agent = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '15000' } });
    receiver = await openReceiver();
  });
  afterAll(async () => {
    await agent.stop();
    await receiver.close();
  });

  const smallBuy = () => {
    const input = mediaBuyInput(agent);
    return { ...input, packages: (input['packages'] as unknown[]).slice(0, 1) };
  };

  /** The states that a receiver of A2A's own webhooks has heard of a task, in either generation, with the tokens. */
  function heard(id: string) {
    return receiver.received.flatMap(({ body, headers }) => {
      const event = (body['kind'] === undefined ? Object.values(body)[0] : body) as {
        id?: string;
        taskId?: string;
        status: { state: string };
      };
      const state = event.status.state.replace('TASK_STATE_', '').toLowerCase();
      return (event.id ?? event.taskId) === id ? [{ state, token: headers['x-a2a-notification-token'] }] : [];
    });
  }

  const statesOf = (events: readonly Seen[]) => events.flatMap(({ state }) => state ?? []);

  describe.each(CLIENTS)('the official client $name', ({ open }) => {
    let client: OfficialClient;
    beforeAll(async () => {
      client = await open(agent);
    });

    it('[W5] finds products, streams a media buy to its end, and is told the same by webhook', async () => {
      const { products } = await client.ask('get_products', { brief: 'video and ctv' });
      expect(products).not.toHaveLength(0);
      const push = { url: receiver.url(), token: 'a-token-of-mine' };
      const events: Seen[] = [];
      for await (const event of client.stream('create_media_buy', smallBuy(), push)) events.push(event);
      const [first] = events;
      const states = statesOf(events);
      expect([states[0], states.at(-1)]).toEqual(['submitted', 'completed']);
      expect(states).toContain('working');
      expect(await client.stateOf(first?.id ?? '')).toBe('completed');
      await until(() => heard(first?.id ?? '').length >= states.length - 1);
      expect(heard(first?.id ?? '').map(({ state }) => state)).toEqual(expect.arrayContaining(states.slice(1)));
      expect(new Set(heard(first?.id ?? '').map(({ token }) => token))).toEqual(new Set([push.token]));
    });

    it('[T3] subscribes to a media buy that waits for a person, registers a webhook for it, and cancels it', async () => {
      const id = await client.begin('create_media_buy', mediaBuyInput(agent));
      await until(async () => (await client.stateOf(id)) === 'working');
      const followed = client.subscribe(id);
      const { value: snapshot } = await followed.next();
      expect(snapshot).toEqual({ id, state: 'working' });
      await client.register(id, { url: receiver.url(), token: 'another-token' });
      expect(await client.cancel(id)).toBe('canceled');
      const rest: Seen[] = [];
      for await (const event of followed) rest.push(event);
      expect(statesOf(rest).at(-1)).toBe('canceled');
      await until(() => heard(id).some(({ state }) => state === 'canceled'));
      expect(heard(id)).toContainEqual({ state: 'canceled', token: 'another-token' });
    });
  });
});
