import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';

let agent: Agent;
let key: string;
let task_id: string;
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS });
  key = await agent.newKey();
  const params = { message: invoke('wait', {}), configuration: { returnImmediately: true } };
  task_id = (await rpcClient(agent.url, key, '1.0').call('SendMessage', params)).result.task.id;
});
afterAll(() => agent.close());

async function rest03(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${agent.url}/a2a/rest${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('a push configuration of 0.3 over HTTP+JSON', () => {
  const configs = () => `/v1/tasks/${task_id}/pushNotificationConfigs`;
  const config = (id: string) => ({ id, url: 'http://127.0.0.1:9/hook' });

  it.each([
    ['the parameters', () => ({ taskId: task_id, pushNotificationConfig: config('one') }), 'one'],
    [
      'the resource',
      () => ({ name: `tasks/${task_id}/pushNotificationConfigs/two`, pushNotificationConfig: config('two') }),
      'two',
    ],
    [
      'the whole request, as the official Python client sends it',
      () => ({
        parent: `tasks/${task_id}`,
        configId: 'three',
        config: { name: `tasks/${task_id}/pushNotificationConfigs/three`, pushNotificationConfig: config('three') },
      }),
      'three',
    ],
    [
      'the same with the id beside it, in the spelling of protobuf',
      () => ({ config_id: 'four', config: { push_notification_config: { url: 'http://127.0.0.1:9/hook' } } }),
      'four',
    ],
  ])('is taken as %s, and can be read back', async (_form, body, id) => {
    const name = `tasks/${task_id}/pushNotificationConfigs/${id}`;
    const wanted = { status: 200, body: { name, pushNotificationConfig: config(id) } };
    expect(await rest03('POST', configs(), body())).toMatchObject(wanted);
    expect(await rest03('GET', `${configs()}/${id}`)).toMatchObject(wanted);
  });

  it.each([
    [{ config: { pushNotificationConfig: 5 } }, 'pushNotificationConfig'],
    ['none', 'pushNotificationConfig'],
    [{ parent: 'tasks/another', config: { pushNotificationConfig: { url: 'http://127.0.0.1:9/' } } }, 'parent'],
    [{ taskId: 'another', pushNotificationConfig: { url: 'http://127.0.0.1:9/' } }, 'taskId'],
  ])('%j is refused by its field', async (body, field) => {
    const answer = await rest03('POST', configs(), body);
    expect(answer).toMatchObject({ status: 400, body: { code: -32602, data: { error: { field } } } });
  });
});

describe('the extended card of 0.3', () => {
  it('has the shape of 0.3 at each place that serves it', async () => {
    const version = { 'A2A-Version': '0.3' };
    const published = (await (
      await fetch(`${agent.url}/.well-known/agent-card.json`, { headers: version })
    ).json()) as Record<string, unknown>;
    const { security, securitySchemes, url, protocolVersion } = published;
    expect(security).toContainEqual({ bearer: [] });
    const wanted = { security, securitySchemes, url, protocolVersion };
    const own = await rest03('GET', '/v1/card');
    expect(own).toMatchObject({ status: 200, body: wanted });
    expect(await rest03('GET', '/extendedAgentCard', undefined, version)).toMatchObject({ status: 200, body: wanted });
    const { result } = await rpcClient(agent.url, key, '0.3').call('agent/getAuthenticatedExtendedCard');
    expect(result).toMatchObject(wanted);
  });

  it('is the card of 1.0 for who asks so', async () => {
    const { body } = await rest03('GET', '/extendedAgentCard');
    expect(body).toMatchObject({ securityRequirements: [{ schemes: { bearer: {} } }, {}] });
    expect(body).not.toHaveProperty('security');
  });

  it('is refused as 0.3 refuses where nobody may have it', async () => {
    const { status, body } = await rest03('GET', '/v1/card', undefined, { Authorization: 'Bearer none' });
    expect([status, (body['data'] as { error: { code: string } }).error.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});
