import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { judge } from '../webhooks/support/judge.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { TaskRun } from '../../src/runtime/task-run.ts';
import { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { ask, errorOf, eventsOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function open(store: StoreKind): Promise<{ agent: TestAgent; receiver: Receiver }> {
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const agent = await startTestAgent(store);
  cleanUp.push(() => agent.stop());
  return { agent, receiver };
}

describeOnStores('a first media buy on %s', (store) => {
  it('[T2] [W1] [C.events.2] [C.delivery] [C.resources.envelope] [C.resources.media-buy] [C.webhook.signatures.1] is submitted, then told working and completed by webhooks that an independent verifier accepts', async () => {
    const { agent, receiver } = await open(store);
    const card = (await (await fetch(`${agent.baseUrl}/.well-known/agent-card.json`)).json()) as {
      skills: { id: string }[];
    };
    expect(card.skills.map(({ id }) => id)).toContain('create_media_buy');

    const context = { trace: 'ünïcode ✓', nested: { order: [3, 1, 2] } };
    const input = mediaBuyInput(agent, {
      context,
      push_notification_config: { url: receiver.url('/hooks/a?x=1'), operation_id: 'op-1', token: 'opaque-token' },
    });
    const task = taskOf(await send(agent, 'create_media_buy', input));
    expect(task.state).toBe('TASK_STATE_SUBMITTED');
    await receiver.arrived(2);

    const { keys } = (await (await fetch(`${agent.baseUrl}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string; alg: string }[];
    };
    expect(keys).toContainEqual(expect.objectContaining({ proto_use: 'request-signing' }));
    const brand = (await (await fetch(`${agent.baseUrl}/.well-known/brand.json`)).json()) as { agents: unknown[] };
    expect(brand.agents).toContainEqual(
      expect.objectContaining({ jwks_uri: `${agent.baseUrl}/.well-known/jwks.json` }),
    );
    for (const received of receiver.received) {
      expect(received).toMatchObject({ method: 'POST', path: '/hooks/a?x=1' });
      expect(received.headers['content-type']).toBe('application/json');
      expect(await judge(received, keys, Date.now())).toMatchObject({ tag: 'proto/webhook-signing/v1' });
    }
    const [working, completed] = eventsOf(receiver.received, task.id).map(({ body }) => body);
    const shared = { task_id: task.id, operation_id: 'op-1', task_type: 'create_media_buy', domain: 'media-buy' };
    expect(working).toMatchObject({ ...shared, status: 'working', context, token: 'opaque-token' });
    expect(working?.['result']).toMatchObject({ percentage: 0, current_step: 'reserving inventory', total_steps: 2 });
    expect(completed).toMatchObject({ ...shared, status: 'completed', context });
    expect(completed?.['result']).toMatchObject({
      media_buy_id: expect.stringMatching(/^mb_/) as string,
      buyer_ref: input['buyer_ref'],
      status: 'pending',
      packages: [{ package_id: expect.any(String) as string }, { package_id: expect.any(String) as string }],
    });
  });

  it('[T4] [C.events.10] reads the same task by GetTask and by tasks/get', async () => {
    const { agent } = await open(store);
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
    const read = (method: string, version: string) =>
      post(agent, { jsonrpc: '2.0', id: 7, method, params: { id } }, { 'a2a-version': version });
    await until(async () => taskOf(await read('GetTask', '1.0')).state === 'TASK_STATE_COMPLETED');
    const legacy = await read('tasks/get', '0.3');
    expect(legacy.result).toMatchObject({ kind: 'task', id, status: { state: 'completed' } });
  });

  it('[C.tasks.get_products] [C.resources.product] [N2] finds products for a brief, a brand and filters, in snake_case', async () => {
    const { agent } = await open(store);
    const answer = await send(agent, 'get_products', {
      brief: 'sports fans on connected tv',
      brand_manifest: { name: 'Acme' },
      filters: { channels: ['ctv'] },
    });
    const { artifacts } = answer.result?.['task'] as { artifacts: { parts: { data?: { products: object[] } }[] }[] };
    const products = artifacts[0]?.parts.at(-1)?.data?.products ?? [];
    expect(products.length).toBeGreaterThan(0);
    for (const product of products) {
      expect(product).toMatchObject({ channels: expect.arrayContaining(['ctv']) as string[] });
      for (const field of ['product_id', 'name', 'description', 'pricing_options', 'format_ids', 'targeting']) {
        expect(product).toHaveProperty(field);
      }
    }
    const names = [...JSON.stringify(products).matchAll(/"([A-Za-z_]+)":/g)].map(([, name]) => name);
    const stored = [...Object.keys(TaskRun.shape), ...Object.keys(MediaBuy.shape)];
    expect([...names, ...stored].filter((name) => !/^[a-z0-9_]+$/.test(name ?? ''))).toEqual([]);
  });

  it('[T7] plain words are a brief, or asked about with an example of what they lead to', async () => {
    const { agent } = await open(store);
    const say = async (text: string) => {
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
      return post(agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
    };
    const told = JSON.stringify(await say('Display ads for hikers in the US'));
    expect(told).toMatch(/taken as a brief: \d+ of \d+ products, best match first/);
    const asked = await say('I want to cancel my campaign');
    expect(taskOf(asked).state).toBe('TASK_STATE_INPUT_REQUIRED');
    const text = JSON.stringify(asked);
    expect(text).toContain('- update_media_buy: ');
    expect(text).toContain('For example: {');
    expect(asked.result).toMatchObject({
      task: { status: { message: { parts: [{}, { data: { example: { skill: 'update_media_buy' } } }] } } },
    });
  });

  it('[C.states.rules] [W3] an inline task takes no registration, for it never notifies', async () => {
    const { agent, receiver } = await open(store);
    const push_notification_config = { url: receiver.url(), operation_id: 'op' };
    const refused = await send(agent, 'get_products', { brief: 'anything', push_notification_config });
    expect(errorOf(refused)).toMatchObject({ code: 'INVALID_REQUEST' });
    await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config, packages: [] }));
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    await receiver.arrived(2);
    expect(new Set(receiver.received.map(({ body }) => body['task_id']))).toEqual(new Set([id]));
  });

  it('[T3] [C.states.media-buys] waits for a person at the seller: the task stays working and the buy pending', async () => {
    const agent = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '100' } });
    cleanUp.push(() => agent.stop());
    const input = mediaBuyInput(agent);
    const { id } = taskOf(await send(agent, 'create_media_buy', input));
    const where = { organization_id: 'org_demo_buyer', buyer_ref: String(input['buyer_ref']) };
    const buys = agent.core.store.collection(MediaBuys);
    // Its inventory is held first.
    const held = async () => {
      const [buy] = (await buys.find({ where })).rows;
      return buy?.pending_reason === 'approval' && buy;
    };
    expect(await until(held)).toMatchObject({ status: 'pending' });
    const task = await post(agent, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
    expect(taskOf(task).state).toBe('TASK_STATE_WORKING');
  });

  it('[B7] answers the same request under the same key with the same task, and tells it once', async () => {
    const { agent, receiver } = await open(store);
    const input = mediaBuyInput(agent, {
      idempotency_key: 'campaign-of-the-year',
      push_notification_config: { url: receiver.url(), operation_id: 'op' },
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(agent, 'create_media_buy', input)));
    const [task] = new Set(answers.map((answer) => taskOf(answer).id));
    expect(new Set(answers.map((answer) => taskOf(answer).id)).size).toBe(1);
    await receiver.arrived(2);
    const again = await send(agent, 'create_media_buy', input);
    expect(again.result).toMatchObject({ task: { id: task, metadata: { replayed: true } } });
    expect(eventsOf(receiver.received, task ?? '')).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  });

  it('[B7] of fifty different requests under one key, all at once, one makes a buy and 49 conflict', async () => {
    const { agent } = await open(store);
    const idempotency_key = 'one-key-for-fifty-campaigns';
    const inputs = Array.from({ length: 50 }, () => mediaBuyInput(agent, { idempotency_key }));
    const answers = await Promise.all(inputs.map((input) => send(agent, 'create_media_buy', input)));
    const refused = answers.filter(({ error }) => error !== undefined);
    expect(refused.map((answer) => errorOf(answer).code)).toEqual(Array(49).fill('IDEMPOTENCY_CONFLICT'));
    const buys = agent.core.store.collection(MediaBuys);
    const where = {
      organization_id: 'org_demo_buyer',
      buyer_ref: { in: inputs.map((one) => String(one['buyer_ref'])) },
    };
    await until(async () => (await buys.count(where)) > 0);
    expect(await buys.count(where)).toBe(1);
  });

  it('[B7] fifty equal requests under one key, all at once, make one buy and get one answer', async () => {
    const { agent } = await open(store);
    const input = mediaBuyInput(agent, { idempotency_key: 'the-same-campaign-fifty-times' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(agent, 'create_media_buy', input)));
    expect(new Set(answers.map(({ replayed: _replayed, ...answer }) => JSON.stringify(answer))).size).toBe(1);
    const where = { organization_id: 'org_demo_buyer', buyer_ref: String(input['buyer_ref']) };
    expect(await agent.core.store.collection(MediaBuys).count(where)).toBe(1);
  });
});
