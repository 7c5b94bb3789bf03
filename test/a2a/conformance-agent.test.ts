import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { kitClient, rpcBody } from './support/kit-client.ts';
import { grpcCaller } from './support/raw-grpc.ts';
import { openReceiver } from './support/open-receiver.ts';
import { rpcClient } from './support/rpc.ts';
import { allEvents, readEvents } from './support/sse.ts';

let launcher: ChildProcess;
let url: string;
let grpcPort: number;
const kit = kitClient(() => url);

beforeAll(async () => {
  const env = { ...process.env, PORT: '0' };
  launcher = spawn(process.execPath, ['scripts/run.mjs', 'conformance-agent'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (launcher.stdout === null) throw new Error('no standard output');
  const lines = createInterface(launcher.stdout)[Symbol.asyncIterator]();
  const ready = JSON.parse(String((await lines.next()).value)) as { base_url: string; grpc_address: string };
  url = ready.base_url;
  grpcPort = Number(ready.grpc_address.split(':')[1]);
});
afterAll(async () => {
  const ended = once(launcher, 'exit');
  launcher.kill('SIGTERM');
  await ended;
});

function message(messageId: string, more: object = {}) {
  return { messageId, role: 'ROLE_USER', parts: [{ text: 'anything' }], ...more };
}

const STATES = [
  ['tck-complete-task', 'TASK_STATE_COMPLETED'],
  ['tck-delayed-complete', 'TASK_STATE_COMPLETED'],
  ['tck-reject-task', 'TASK_STATE_REJECTED'],
  ['tck-input-required', 'TASK_STATE_INPUT_REQUIRED'],
  ['tck-auth-required', 'TASK_STATE_AUTH_REQUIRED'],
  ['anything-else', 'TASK_STATE_INPUT_REQUIRED'],
] as const;

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('A2A 1.0 over %s', (binding) => {
  it.each(STATES)('a blocking send of %s ends in %s', async (prefix, state) => {
    const { task } = await kit.send10(binding, { message: message(`${prefix}-1`) });
    expect(task.status.state).toBe(state);
    expect((await kit.getTask10(binding, task.id)).status.state).toBe(state);
  });

  it('answers by a message, with a context of its own, where no task is needed', async () => {
    expect(await kit.send10(binding, { message: message('tck-message-response-1') })).toMatchObject({
      message: { role: 'ROLE_AGENT', contextId: expect.stringMatching(/./) as string },
    });
  });

  it('answers at once when asked to, while the work goes on', async () => {
    const configuration = { returnImmediately: true };
    const { task } = await kit.send10(binding, { message: message('tck-delayed-complete-2'), configuration });
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state);
  });

  it.each([
    ['tck-artifact-text', { text: 'Generated text content' }],
    ['tck-artifact-file', { raw: 'dGNr', filename: 'output.txt', mediaType: 'text/plain' }],
    ['tck-artifact-file-url', { url: 'https://example.com/output.txt', filename: 'output.txt' }],
    ['tck-artifact-data', { data: { key: 'value', count: 42 } }],
  ])('%s has its artifact', async (prefix, part) => {
    const { task } = await kit.send10(binding, { message: message(`${prefix}-1`) });
    expect(task.artifacts[0]?.parts[0]).toMatchObject(part);
  });

  it('writes field names in camel case, enums as texts and times in UTC', async () => {
    const sent = JSON.stringify(await kit.send10(binding, { message: message('tck-dm-test-001') }));
    expect(sent).not.toMatch(/"[a-z]+(?:_[a-z]+)+":/);
    expect(sent).toMatch(/"timestamp":"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z"/);
    expect(sent).not.toMatch(/"(?:state|role)":\d/);
  });

  it('ignores fields that it does not know, and extensions that it does not have', async () => {
    const odd = { message: message('tck-complete-task-3', { tckUnknownField: 'x' }), tckExtraParam: 42 };
    const extensions = { 'A2A-Extensions': 'https://example.com/ext/v1,https://example.com/ext/v2' };
    expect((await kit.send10(binding, odd, extensions)).task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('goes on with a task in its context, keeps as much history as asked, and takes nothing after the end', async () => {
    const asked = (await kit.send10(binding, { message: message('tck-input-required-3') })).task;
    const answer = message('tck-complete-task-4', { taskId: asked.id });
    const { task } = await kit.send10(binding, { message: answer, configuration: { historyLength: 0 } });
    expect(task).toMatchObject({ id: asked.id, contextId: asked.contextId, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(task).not.toHaveProperty('history');
    expect((await kit.getTask10(binding, asked.id, 1)).history).toHaveLength(1);
    expect((await kit.getTask10(binding, asked.id, 10)).history).toHaveLength(3);
    const refused = [-32004, 400];
    expect(refused).toContain(await kit.refusal10(binding, { message: message('tck-after', { taskId: asked.id }) }));
    const elsewhere = message('tck-mismatch', { taskId: asked.id, contextId: 'tck-wrong-context' });
    expect(await kit.refusal10(binding, { message: elsewhere })).toBeLessThan(binding === 'JSONRPC' ? -32000 : 500);
  });

  it.each([
    [
      'a media type that is not read',
      { parts: [{ raw: 'dGNr', mediaType: 'application/x-unsupported' }] },
      -32005,
      400,
    ],
    ['an unknown task', { taskId: 'tck-nonexistent' }, -32001, 404],
  ])('refuses %s', async (_what, more, rpc, http) => {
    const code = await kit.refusal10(binding, { message: message('tck-refused', more) });
    expect(code).toBe(binding === 'JSONRPC' ? rpc : http);
  });

  it('streams one message alone, or a task from its beginning to its end', async () => {
    expect(await kit.kindsOf(kit.stream10(binding, { message: message('tck-message-response-2') }))).toEqual([
      'message',
    ]);
    const kinds = await kit.kindsOf(kit.stream10(binding, { message: message('tck-stream-003') }));
    expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'statusUpdate']);
  });

  it('tells all who follow a task the same in the same order, also when one of them leaves', async () => {
    const { task } = await kit.send10(binding, { message: message('tck-input-required-4') });
    const leaver = readEvents(await kit.subscribe10(binding, task.id));
    await leaver.next();
    const followers = await Promise.all([kit.subscribe10(binding, task.id), kit.subscribe10(binding, task.id)]);
    await leaver.return();
    await kit.send10(binding, { message: message('tck-complete-task-5', { taskId: task.id }) });
    const [first = [], second] = await Promise.all(followers.map((follower) => allEvents(follower)));
    expect(first.length).toBeGreaterThan(1);
    expect(second).toEqual(first);
    expect(JSON.stringify(first.at(-1))).toContain('TASK_STATE_COMPLETED');
  });

  it('keeps push configurations also of a task that is over', async () => {
    const { task } = await kit.send10(binding, { message: message('tck-complete-task-6') });
    const config = { id: 'tck-push', url: 'https://example.com/tck-push-webhook' };
    for (const method of ['Create', 'Get', 'Delete', 'Delete'] as const) {
      const answer = await kit.config10(binding, method, task.id, config);
      expect(answer.status).toBeLessThan(300);
      expect(await answer.text()).not.toContain('"error"');
    }
    const gone = await kit.config10(binding, 'Get', task.id, config);
    expect(binding === 'JSONRPC' ? 404 : gone.status).toBe(404);
    expect(await gone.text()).toContain('TASK_NOT_FOUND');
  });
});

describe('A2A 0.3 over JSON-RPC', () => {
  const message03 = (messageId: string, more: object = {}) => ({
    kind: 'message',
    messageId,
    role: 'user',
    parts: [{ kind: 'text', text: 'anything' }],
    ...more,
  });

  it('begins, goes on with, reads and cancels a task', async () => {
    const client = rpcClient(url, 'none');
    const begun = (await client.call('message/send', { message: message03('test-message-id-1') })).result;
    expect(['submitted', 'working', 'input-required', 'completed']).toContain(begun.status.state);
    const more = message03('test-continuation-message-id-1', { taskId: begun.id });
    expect((await client.call('message/send', { message: more })).result).toMatchObject({ id: begun.id });
    expect((await client.call('tasks/get', { id: begun.id, historyLength: 1 })).result.history).toHaveLength(1);
    expect((await client.call('tasks/cancel', { id: begun.id })).result.status.state).toBe('canceled');
    expect((await client.call('tasks/cancel', { id: begun.id })).error.code).toBe(-32002);
  });

  it('resubscribes over either binding to a task that works for a while, to its end', async () => {
    const client = rpcClient(url, 'none');
    const sent = (await client.call('message/send', { message: message03('test-resubscribe-message-id-1') })).result;
    const stream = await kit.post('/a2a/jsonrpc', rpcBody('tasks/resubscribe', { id: sent.id }), {});
    const overHttp = allEvents(await kit.post(`/a2a/rest/v1/tasks/${sent.id}:subscribe`, {}, {}));
    const events = (await allEvents(stream)).map(({ data }) => (data as { result: object }).result);
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
    expect((await overHttp).at(-1)?.data).toMatchObject({
      statusUpdate: { final: true, status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it.each([
    [{ message: { kind: 'message' } }, -32602],
    [{ message: { parts: 'invalid' } }, -32602],
    [{ '': 'not_a_dict' }, -32602],
  ])('refuses the params %j', async (params, code) => {
    expect((await rpcClient(url, 'none').call('message/send', params)).error.code).toBe(code);
  });
});

describe('A2A 0.3 over HTTP+JSON', () => {
  interface Task03 {
    id: string;
    contextId: string;
    status: { state: string };
    history?: unknown[];
  }
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const options = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return fetch(`${url}/a2a/rest/v1${path}`, options);
  };
  const request03 = (messageId: string, more: object = {}) => ({
    request: { messageId, role: 'ROLE_USER', content: [{ text: 'anything' }], ...more },
  });
  const send = async (messageId: string, more: object = {}): Promise<Task03> => {
    const answer = (await (await call('POST', '/message:send', request03(messageId, more))).json()) as { task: Task03 };
    return answer.task;
  };
  const read = async (path: string) => (await (await call('GET', path)).json()) as Task03;

  it('begins, goes on with, reads and cancels a task', async () => {
    const begun = await send('test-message-id-2');
    expect(begun).toMatchObject({ id: expect.stringMatching(/./) as string, contextId: expect.any(String) as string });
    expect(await send('test-continuation-message-id-2', { taskId: begun.id })).toMatchObject({ id: begun.id });
    expect((await read(`/tasks/${begun.id}?historyLength=1`)).history).toHaveLength(1);
    const canceled = await call('POST', `/tasks/${begun.id}:cancel`, {});
    expect(await canceled.json()).toMatchObject({ id: begun.id, status: { state: 'TASK_STATE_CANCELLED' } });
    expect((await call('POST', `/tasks/${begun.id}:cancel`, {})).status).toBe(400);
  });

  it('streams a task from its beginning to its end', async () => {
    const kinds = await kit.kindsOf(call('POST', '/message:stream', request03('tck-stream-003')));
    expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'statusUpdate']);
  });

  it('keeps, shows, lists and deletes push configurations', async () => {
    const { id } = await send('tck-input-required-5');
    const configs = `/tasks/${id}/pushNotificationConfigs`;
    const pushNotificationConfig = { id: 'tck-push', url: 'https://example.com/tck-push-webhook' };
    const config = { name: `${configs.slice(1)}/tck-push`, pushNotificationConfig };
    expect((await call('POST', configs, config)).status).toBeLessThan(300);
    for (const path of [configs, `${configs}/tck-push`]) {
      expect(await (await call('GET', path)).text()).toContain(pushNotificationConfig.url);
    }
    expect((await call('DELETE', `${configs}/tck-push`)).status).toBeLessThan(300);
    expect((await call('GET', `${configs}/tck-push`)).status).toBe(404);
  });

  it.each([
    ['GET', '/tasks/tck-nonexistent', undefined, 404],
    ['POST', '/tasks/tck-nonexistent:cancel', {}, 404],
    ['POST', '/message:send', { request: { content: 'invalid' } }, 400],
    ['POST', '/message:send', {}, 400],
  ])('refuses %s %s with %j', async (method, path, body, status) => {
    expect((await call(method, path, body)).status).toBe(status);
  });
});

it('shows a card of both generations with everything that either needs, and nothing that looks like a secret', async () => {
  const text = await (await fetch(`${url}/.well-known/agent-card.json`)).text();
  const card = JSON.parse(text) as Record<string, unknown>;
  for (const field of ['name', 'description', 'version', 'capabilities', 'skills', 'supportedInterfaces']) {
    expect(card).toHaveProperty(field);
  }
  for (const field of ['protocolVersion', 'url', 'preferredTransport', 'defaultInputModes', 'defaultOutputModes']) {
    expect(card).toHaveProperty(field);
  }
  expect(text).not.toMatch(/api[_-]?key|secret|token|password|credential|127\.0\.0\.1/i);
});

it('streams chunks of one artifact', async () => {
  const response = await fetch(`${url}/a2a/rest/message:stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ message: message('tck-stream-artifact-chunked-1') }),
  });
  const kinds = (await allEvents(response)).map(({ data }) => Object.keys(data as object)[0]);
  expect(kinds).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']);
});

it('begins another task for the same message id, as the kits need, and tells a registered receiver', async () => {
  const receiver = await openReceiver();
  const client = rpcClient(url, 'none', '1.0');
  const credentials = 'a-token-of-at-least-32-characters';
  const send = () =>
    client.call('SendMessage', {
      message: message('tck-input-required-2'),
      configuration: {
        taskPushNotificationConfig: { url: receiver.url, authentication: { scheme: 'Bearer', credentials } },
      },
    });
  const [first, second] = [(await send()).result.task, (await send()).result.task];
  expect(second.id).not.toBe(first.id);
  await client.call('SendMessage', { message: message('tck-complete-task-2', { taskId: second.id }) });
  await until(() => receiver.received.some(({ body }) => 'task' in body));
  expect(receiver.received[0]?.headers.authorization).toBe(`Bearer ${credentials}`);
  await receiver.close();
});

describe('the product plus one skill', () => {
  interface GrpcTask {
    payload?: { $case: string; value: { id: string; status: { state: number } } };
  }
  const COMPLETED = 3;
  const send = async (parts: object[], messageId: string) => {
    const client = grpcCaller(A2AService, grpcPort, 'none');
    const wanted = { messageId, contextId: '', taskId: '', role: 1, parts, extensions: [], referenceTaskIds: [] };
    try {
      return ((await client.answer('sendMessage', { tenant: '', message: wanted })) as GrpcTask).payload?.value;
    } finally {
      client.close();
    }
  };
  const text = { content: { $case: 'text', value: 'anything' }, filename: '', mediaType: '' };
  const listing = { skill: 'list_creative_formats', input: {} };
  const data = { content: { $case: 'data', value: listing }, filename: '', mediaType: '' };

  it('speaks gRPC where its card says, and works off a message as over HTTP', async () => {
    const response = await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } });
    const { supportedInterfaces } = (await response.json()) as { supportedInterfaces: object[] };
    expect(supportedInterfaces).toContainEqual(
      expect.objectContaining({ protocolBinding: 'GRPC', url: `localhost:${grpcPort}` }),
    );
    expect(await send([text], 'tck-complete-task-g1')).toMatchObject({ status: { state: COMPLETED } });
  });

  it('[T6] takes one message over two bindings for the same task where it names a skill, as the product does', async () => {
    const client = rpcClient(url, 'none', '1.0');
    const named = { messageId: 'same-1', role: 'ROLE_USER', parts: [{ data: listing }] };
    const first = (await client.call('SendMessage', { message: named })).result.task;
    expect((await client.call('SendMessage', { message: named })).result.task.id).toBe(first.id);
    expect((await send([data], 'same-1'))?.id).toBe(first.id);
    const another = [await send([text], 'tck-complete-task-g2'), await send([text], 'tck-complete-task-g2')];
    expect(another[0]?.id).not.toBe(another[1]?.id);
  });
});
