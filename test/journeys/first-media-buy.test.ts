import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { judge } from '../webhooks/support/judge.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { eventsOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { STORES, startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function open(store: (typeof STORES)[number]): Promise<{ agent: TestAgent; receiver: Receiver }> {
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const agent = await startTestAgent(store);
  cleanUp.push(() => agent.stop());
  return { agent, receiver };
}

describe.each(STORES)('a first media buy on %s', (store) => {
  it('[T2] [W1] [C.events.2] is submitted, then told working and completed by webhooks that an independent verifier accepts', async () => {
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
    for (const received of receiver.received) {
      expect(await judge(received, keys, Date.now())).toMatchObject({ tag: 'proto/webhook-signing/v1' });
    }
    const [working, completed] = eventsOf(receiver.received, task.id).map(({ body }) => body);
    const shared = { task_id: task.id, operation_id: 'op-1', task_type: 'create_media_buy', domain: 'media-buy' };
    expect(working).toMatchObject({ ...shared, status: 'working', context, token: 'opaque-token' });
    expect(working?.['result']).toMatchObject({ percentage: 0, current_step: 'reserving inventory', total_steps: 2 });
    expect(completed).toMatchObject({ ...shared, status: 'completed', context });
    expect(completed?.['result']).toMatchObject({ buyer_ref: input['buyer_ref'], status: 'pending' });
  });

  it('[T4] reads the same task by GetTask and by tasks/get', async () => {
    const { agent } = await open(store);
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
    const read = (method: string, version: string) =>
      post(agent, { jsonrpc: '2.0', id: 7, method, params: { id } }, { 'a2a-version': version });
    await until(async () => taskOf(await read('GetTask', '1.0')).state === 'TASK_STATE_COMPLETED');
    const legacy = await read('tasks/get', '0.3');
    expect(legacy.result).toMatchObject({ kind: 'task', id, status: { state: 'completed' } });
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
});
