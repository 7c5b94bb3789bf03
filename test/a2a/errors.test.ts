import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';

let agent: Agent;
let modern: ReturnType<typeof rpcClient>;
let legacy: ReturnType<typeof rpcClient>;

beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS });
  const key = await agent.newKey();
  modern = rpcClient(agent.url, key, '1.0');
  legacy = rpcClient(agent.url, key, '0.3');
});
afterAll(() => agent.close());

it.each([
  ['no JSON', '{"jsonrpc": "2.0", ', 200, -32700],
  ['nothing', '', 200, -32600],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}]', 200, -32600],
  ['a word', '"hello"', 200, -32600],
  ['another jsonrpc', '{"jsonrpc":"1.0","id":1,"method":"GetTask"}', 200, -32600],
  ['no method', '{"jsonrpc":"2.0","id":1}', 200, -32600],
  ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":5}', 200, -32600],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', 200, -32600],
  ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"NoSuch","params":{}}', 200, -32601],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}', 200, -32602],
  ['no params', '{"jsonrpc":"2.0","id":1,"method":"GetTask"}', 200, -32602],
  ['endless nesting', '['.repeat(200_000), 200, -32600],
])('answers %s in JSON-RPC', async (_what, text, status, code) => {
  for (const [client, body] of [
    [modern, text],
    [legacy, text.replace('GetTask', 'tasks/get')],
  ] as const) {
    const answer = await client.post(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code } });
  }
});

it('answers a body over 1 MiB with 413, in JSON-RPC', async () => {
  const answer = await modern.post(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: 'x'.repeat(1_048_576) }),
  );
  expect(answer.status).toBe(413);
  expect(answer.body.error.data[1].error.code).toBe('PAYLOAD_TOO_LARGE');
});

it('answers another content type with 415, in JSON-RPC', async () => {
  const answer = await modern.post('{}', { 'Content-Type': 'text/plain' });
  expect(answer.status).toBe(415);
  expect(answer.body.error).toMatchObject({ code: -32005 });
});

it('answers a version of A2A that is not spoken with those that are', async () => {
  const answer = await modern.post('{"jsonrpc":"2.0","id":1,"method":"GetTask"}', { 'A2A-Version': '2.0' });
  expect(answer.body.error).toMatchObject({ code: -32009, data: [{ reason: 'VERSION_NOT_SUPPORTED' }, {}] });
});

it('answers a missing or unknown credential with 401 and a challenge', async () => {
  const missing = await fetch(`${agent.url}/a2a/jsonrpc`, { method: 'POST', body: '{}' });
  expect(missing.status).toBe(401);
  expect(missing.headers.get('www-authenticate')).toBe('Bearer');
  expect(await missing.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  for (const authorization of ['Bearer mk_live_unknown-unknown-unknown-unknown', 'Basic abc', 'Bearer']) {
    const answer = await modern.post('{}', { Authorization: authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  }
});

it.each(['X-API-Key', 'X-ADCP-Auth'])('takes an API key from %s', async (header) => {
  const answer = await echoWith({ [header]: await agent.newKey() });
  expect(answer.status).toBe(200);
});

it('refuses a key in X-ADCP-Auth beside another in Authorization or X-API-Key, and takes the same in both', async () => {
  const [mine, other] = [await agent.newKey(), await agent.newKey()];
  expect((await echoWith({ Authorization: `Bearer ${mine}`, 'X-ADCP-Auth': mine })).status).toBe(200);
  for (const beside of [{ Authorization: `Bearer ${other}` }, { 'X-API-Key': other }, { Authorization: 'Basic abc' }]) {
    const refused = await echoWith({ ...beside, 'X-ADCP-Auth': mine });
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain('different credentials');
  }
});

async function echoWith(headers: Record<string, string>): Promise<Response> {
  const params = { message: invoke('echo', { say: 'x' }) };
  return fetch(`${agent.url}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
  });
}

it.each([
  ['no message', undefined, 'message'],
  ['no parts', { messageId: 'm', role: 'ROLE_USER', parts: [] }, 'message.parts'],
  ['a part without content', { messageId: 'm', role: 'ROLE_USER', parts: [{}] }, 'message.parts[0]'],
  ['no message id', { role: 'ROLE_USER', parts: [{ text: 'x' }] }, 'message.messageId'],
  ['no role', { messageId: 'm', parts: [{ text: 'x' }] }, 'message.role'],
  ['an unknown role', { messageId: 'm', role: 'ROLE_KING', parts: [{ text: 'x' }] }, 'message.role'],
  ['two data parts', { ...invoke('echo', {}), parts: [{ data: {} }, { data: {} }] }, 'message.parts[1].data'],
  ['data that is no object', { ...invoke('echo', {}), parts: [{ data: 5 }] }, 'message.parts[0].data'],
  [
    'an unknown key beside the skill',
    { ...invoke('echo', {}), parts: [{ data: { skill: 'echo', say: 1 } }] },
    'message.parts[0].data.say',
  ],
  ['input that is no object', invoke('echo', 'hello'), 'message.parts[0].data.input'],
  ['an unknown skill', invoke('fly', {}), 'skill'],
  ['input of the wrong form', invoke('echo', { say: 5 }), 'say'],
  ['input that cannot be met', invoke('build', { thing: 'nothing' }), 'thing'],
  ['an unknown task', { ...invoke('echo', {}), taskId: 'no-such-task' }, 'task_id'],
])('[B12] refuses %s by code and field, and stores nothing', async (_what, message, field) => {
  const before = await agent.runs.count({});
  const { error } = await modern.call('SendMessage', { message });
  expect(error.data[0].metadata['field']).toBe(field);
  const { message: told } = error.data[1].error;
  expect(error.data[1].error.field).toBe(field);
  expect([told, `Task not found: ${told}`]).toContain(error.message);
  expect(error.code).toBeLessThan(-32000);
  expect(await agent.runs.count({})).toBe(before);
});

it.each([
  ['taskId', true],
  ['taskId', {}],
  ['contextId', 12],
])('[B12] refuses a %s of 0.3 that is no text, before any store is asked for it: %o', async (name, id) => {
  const message = { ...invoke03('echo', { say: 'x' }), [name]: id };
  const { error } = await legacy.call('message/send', { message });
  expect(error.data.error).toMatchObject({ code: 'INVALID_REQUEST', field: `message.${name}` });
});

it('[B12] gives 0.3 the whole error body as data', async () => {
  const { error } = await legacy.call('message/send', { message: invoke03('build', { thing: 'nothing' }) });
  expect(error).toEqual({
    code: -32602,
    message: 'thing: there is no such thing',
    data: {
      error: {
        code: 'PRODUCT_NOT_FOUND',
        message: 'thing: there is no such thing',
        field: 'thing',
        issues: [{ pointer: '/thing', message: 'there is no such thing' }],
        recovery: 'correctable',
      },
    },
  });
});

it.each([-1, 1.5, 'many'])('refuses a history length of %s', async (historyLength) => {
  const { error } = await modern.call('GetTask', { id: 'x', historyLength });
  expect(error).toMatchObject({ code: -32602, data: [{ metadata: { field: 'historyLength' } }, {}] });
});

it('[T5] answers another organization’s task exactly as an unknown id', async () => {
  const { result } = await modern.call('SendMessage', {
    message: invoke('wait', {}),
    configuration: { returnImmediately: true },
  });
  const stranger = rpcClient(agent.url, await agent.newKey(), '1.0');
  for (const method of ['GetTask', 'CancelTask']) {
    const foreign = await stranger.call(method, { id: result.task.id });
    expect(foreign.error).toMatchObject({ code: -32001 });
    expect(foreign).toEqual(await stranger.call(method, { id: 'no-such-task' }));
  }
});

it('answers a credential without the scope with 403', async () => {
  const reader = rpcClient(agent.url, await agent.newKey(['tasks:read']), '1.0');
  const answer = await reader.post(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: invoke('build', { thing: 'x' }) },
    }),
  );
  expect(answer.status).toBe(403);
  expect(answer.body.error.data[1].error.code).toBe('FORBIDDEN');
});

it('refuses a message to a task that is over', async () => {
  const { result } = await modern.call('SendMessage', { message: invoke('build', { thing: 'shed' }) });
  const more = await modern.call('SendMessage', { message: { ...invoke('build', {}), taskId: result.task.id } });
  expect(more.error).toMatchObject({ code: -32004, data: [{ metadata: { code: 'INVALID_STATE' } }, {}] });
});

it('refuses to cancel a task that is over', async () => {
  const { result } = await legacy.call('message/send', { message: invoke03('echo', { say: 'x' }) });
  const { error } = await legacy.call('tasks/cancel', { id: result.id });
  expect(error).toMatchObject({ code: -32002, data: { error: { code: 'NOT_CANCELLABLE' } } });
});
