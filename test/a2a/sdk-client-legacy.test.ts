import { randomUUID } from 'node:crypto';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from 'a2a-js-sdk-0.3/client';
import type { Client } from 'a2a-js-sdk-0.3/client';
import type { MessageSendParams, Task } from 'a2a-js-sdk-0.3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { openReceiver } from './support/open-receiver.ts';
import { hold, TASKS } from './support/tasks.ts';

let agent: Agent;
let key: string;

beforeAll(async () => {
  agent = await openAgent({ tasks: [...TASKS, hold], options: { limits: { waitCapMs: 3_600_000 } } });
  key = await agent.newKey();
});
afterAll(() => agent.close());

/** It finds the agent by a card request that says no version. */
function openClient(binding: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('Authorization', `Bearer ${key}`);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory({
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- its options are a declared class
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
  });
  return factory.createFromUrl(agent.url);
}

function invocation(skill: string, input: Record<string, unknown>, more: object = {}): MessageSendParams {
  const parts = [{ kind: 'data' as const, data: { skill, input } }];
  const message = { kind: 'message' as const, messageId: randomUUID(), role: 'user' as const, parts, ...more };
  return { message, configuration: { blocking: true } };
}

describe.each(['JSONRPC', 'HTTP+JSON'])('the official client of 0.3 over %s', (binding) => {
  let client: Client;
  beforeAll(async () => {
    client = await openClient(binding);
  });

  it('sends, blocks, and reads the task back', async () => {
    const task = (await client.sendMessage(invocation('build', { thing: 'house' }))) as Task;
    expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect(task.artifacts?.[0]?.parts.at(-1)).toMatchObject({ kind: 'data', data: { built: 'house' } });
    expect((await client.getTask({ id: task.id })).status.state).toBe('completed');
  });

  it('streams a task to its final event', async () => {
    const seen = [];
    for await (const event of client.sendMessageStream(invocation('build', { thing: 'hut' }))) seen.push(event);
    expect(seen.map(({ kind }) => kind)).toEqual([
      'task',
      'status-update',
      'status-update',
      'artifact-update',
      'status-update',
    ]);
    expect(seen.at(-1)).toMatchObject({ final: true, status: { state: 'completed' } });
  });

  it('resubscribes, and cancels what it follows', async () => {
    const waiting = { ...invocation('wait', {}), configuration: { blocking: false } };
    const task = (await client.sendMessage(waiting)) as Task;
    const states: string[] = [];
    const following = (async () => {
      for await (const event of client.resubscribeTask({ id: task.id })) {
        if ('status' in event) states.push(event.status.state);
      }
    })();
    await until(() => agent.openStreams() === 1);
    expect((await client.cancelTask({ id: task.id })).status.state).toBe('canceled');
    await following;
    expect(states).toEqual(['submitted', 'canceled']);
  });

  it('[W5] registers for push, and is told in the words of 0.3', async () => {
    const receiver = await openReceiver();
    const asked = (await client.sendMessage(invocation('paint', {}))) as Task;
    const pushNotificationConfig = { id: 'one', url: receiver.url };
    await client.setTaskPushNotificationConfig({ taskId: asked.id, pushNotificationConfig });
    expect(await client.listTaskPushNotificationConfig({ id: asked.id })).toMatchObject([
      { taskId: asked.id, pushNotificationConfig },
    ]);
    await client.sendMessage(invocation('paint', { colour: 'red' }, { taskId: asked.id }));
    await until(() => receiver.received.length === 1);
    expect(receiver.received[0]?.body).toMatchObject({ kind: 'task', id: asked.id, status: { state: 'completed' } });
    await receiver.close();
  });

  it('reads the card that callers see', async () => {
    const { protocolVersion, skills, securitySchemes } = await client.getAgentCard();
    expect([protocolVersion, skills.length]).toEqual(['0.3', 5]);
    expect(securitySchemes?.['bearer']).toMatchObject({
      type: 'http',
      scheme: expect.stringMatching(/^bearer$/i) as string,
    });
  });

  it('[T2.wait] is answered at once while its task waits for a person', async () => {
    const task = (await client.sendMessage(invocation('hold', { for: 'person' }))) as Task;
    expect(task.status.state).toBe('working');
  });

  it('learns of refusals', async () => {
    await expect(client.getTask({ id: 'no-such-task' })).rejects.toThrow(/no task of yours|not found/i);
  });
});
