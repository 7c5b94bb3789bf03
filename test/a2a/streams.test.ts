import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBudgets } from '../support/open-budgets.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import { allEvents, readEvents } from './support/sse.ts';
import { TASKS } from './support/tasks.ts';

/** Two servers that take no work and a worker that takes no requests: copies of one agent. */
let here: Agent;
let there: Agent;
let worker: Agent;
let key: string;
const shared = { dataDir: '', prefix: `t-${randomUUID()}` };
const organization = organizationId(randomUUID());

beforeAll(async () => {
  shared.dataDir = await mkdtemp(join(tmpdir(), 'a2a-test-'));
  here = await openAgent({ tasks: TASKS, shared, works: false, options: { limits: { heartbeatMs: 30 } } });
  there = await openAgent({ tasks: TASKS, shared, works: false });
  worker = await openAgent({ tasks: TASKS, shared });
  key = await here.newKey(undefined, organization);
});
afterAll(async () => {
  await Promise.all([here.close(), there.close(), worker.close()]);
  await rm(shared.dataDir, { recursive: true });
});

function openStream(agent: Agent, method: string, params: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${agent.url}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal && { signal }),
  });
}

it('streams a task that another process works on: as it stands, each event once and in order, then ends', async () => {
  const response = await openStream(here, 'SendStreamingMessage', { message: invoke('build', { thing: 'house' }) });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = (await allEvents(response)).map(({ data }) => (data as { result: Record<string, unknown> }).result);
  expect(events).toMatchObject([
    { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
    { statusUpdate: { status: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: 'dig' }, {}] } } } },
    { statusUpdate: { status: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: 'raise' }, {}] } } } },
    { artifactUpdate: { artifact: { parts: [{}, { data: { built: 'house' } }] }, lastChunk: true } },
    { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
  ]);
});

it('streams to 0.3 in its own words, the last event being final', async () => {
  const response = await openStream(here, 'message/stream', { message: invoke03('paint', {}) });
  const events = (await allEvents(response)).map(({ data }) => (data as { result: object }).result);
  expect(events).toMatchObject([
    { kind: 'task', status: { state: 'submitted' } },
    { kind: 'status-update', status: { state: 'input-required' }, final: true },
  ]);
});

it('streams an answer given at once as one completed task', async () => {
  const events = await allEvents(
    await openStream(here, 'SendStreamingMessage', { message: invoke('echo', { say: 'x' }) }),
  );
  expect(events).toMatchObject([{ data: { result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } } }]);
});

it('follows a task from any server, also one that subscribes anew to another', async () => {
  const { result } = await rpcClient(here.url, key, '1.0').call('SendMessage', { message: invoke('paint', {}) });
  const first = await openStream(here, 'SubscribeToTask', { id: result.task.id });
  const firstSeen = readEvents(first);
  expect((await firstSeen.next()).value?.data).toMatchObject({
    result: { task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } },
  });
  await firstSeen.return();
  const second = await openStream(there, 'tasks/resubscribe', { id: result.task.id });
  const rest = allEvents(second);
  const answer = { ...invoke('paint', { colour: 'blue' }), taskId: result.task.id };
  await rpcClient(here.url, key, '1.0').call('SendMessage', { message: answer });
  const states = (await rest).map(({ data }) => {
    const seen = (data as { result: { kind: string; status?: { state: string } } }).result;
    return seen.status?.state ?? seen.kind;
  });
  expect(states).toEqual(['input-required', 'submitted', 'artifact-update', 'completed']);
});

it('refuses to follow a task that is over, or unknown, before any event', async () => {
  const { result } = await rpcClient(here.url, key, '1.0').call('SendMessage', {
    message: invoke('echo', { say: '' }),
  });
  const over = await allEvents(await openStream(here, 'SubscribeToTask', { id: result.task.id }));
  expect(over).toMatchObject([{ event: 'error', data: { error: { code: -32004 } } }]);
});

it.each<[string, method: string, params: object, code: number, version?: string]>([
  ['an unknown task', 'SubscribeToTask', { id: 'no-such-task' }, -32001],
  ['an unknown task', 'tasks/resubscribe', { id: 'no-such-task' }, -32001],
  ['a wrong input', 'SendStreamingMessage', { message: invoke('echo', { say: 5 }) }, -32602],
  ['a wrong input', 'message/stream', { message: invoke03('echo', { say: 5 }) }, -32602],
  ['no message', 'SendStreamingMessage', {}, -32602],
  ['no message', 'message/stream', {}, -32602],
  ['params of a wrong form', 'SendStreamingMessage', { message: 5 }, -32602],
  ['params of a wrong form', 'message/stream', { message: 5 }, -32602],
  ['a method of the other generation', 'message/stream', { message: 5 }, -32601, '1.0'],
  ['a version that is not spoken', 'SendStreamingMessage', {}, -32009, '7.0'],
])('refuses %s to a streaming method, %s, by a stream of one event', async (_what, method, params, code, version) => {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const response = await fetch(`${here.url}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { ...headers, ...(version !== undefined && { 'A2A-Version': version }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'seven', method, params }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(await allEvents(response)).toMatchObject([
    { event: 'error', data: { jsonrpc: '2.0', id: 'seven', error: { code } } },
  ]);
});

it('refuses who is no caller, and what is no JSON, by status and as JSON, whatever the method', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: {} });
  const send = async (authorization: string, sent: string) => {
    const headers = { 'Content-Type': 'application/json', Authorization: authorization };
    const { status, headers: got } = await fetch(`${here.url}/a2a/jsonrpc`, { method: 'POST', headers, body: sent });
    return [status, got.get('content-type')];
  };
  expect(await send('Bearer nobody', body)).toEqual([401, 'application/json']);
  expect(await send(`Bearer ${key}`, body.slice(1))).toEqual([200, 'application/json']);
  const narrow = await here.newKey(['tasks:read']);
  const message = invoke('build', { thing: 'house' });
  const unscoped = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } });
  expect(await send(`Bearer ${narrow}`, unscoped)).toEqual([403, 'application/json']);
});

it('keeps a quiet stream alive, and lets go of it as soon as the client has gone', async () => {
  const leaving = new AbortController();
  const message = invoke('wait', {});
  const response = await openStream(here, 'SendStreamingMessage', { message }, leaving.signal);
  const pings: string[] = [];
  const reading = (async () => {
    for await (const _event of readEvents(response, (comment) => pings.push(comment)));
  })().catch(() => undefined);
  await until(() => pings.length >= 2);
  expect(here.openStreams()).toBe(1);
  leaving.abort();
  await reading;
  await until(() => here.openStreams() === 0);
});

it('ends its streams when the server stops', async () => {
  const stopping = new AbortController();
  const server = await openAgent({ tasks: TASKS, shared, works: false, options: { stopping: stopping.signal } });
  const stream = allEvents(await openStream(server, 'SendStreamingMessage', { message: invoke('wait', {}) }));
  await until(() => server.openStreams() === 1);
  stopping.abort();
  expect(await stream).toHaveLength(1);
  await server.close();
});

it('limits the streams that one organization has open', async () => {
  const { budgets, close } = openBudgets({ sizes: { a2a_streams: 1 } });
  const server = await openAgent({ tasks: TASKS, shared, works: false, options: { budgets } });
  const leaving = new AbortController();
  await openStream(server, 'SendStreamingMessage', { message: invoke('wait', {}) }, leaving.signal);
  const second = await openStream(server, 'SendStreamingMessage', { message: invoke('wait', {}) });
  expect(second.status).toBe(429);
  expect(await second.text()).toContain('close a stream first');
  leaving.abort();
  await until(() => server.openStreams() === 0);
  await server.close();
  await close();
});

it('holds 2,000 streams open at one server, each of which hears of its task', async () => {
  const client = rpcClient(here.url, key, '1.0');
  const { result } = await client.call('SendMessage', { message: invoke('paint', {}) });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: result.task.id } });
  let opened = 0;
  const streams: Promise<string>[] = [];
  while (streams.length < 2000) {
    // No more at once than the system lets wait for the server.
    for (let i = 0; i < 100; i++) streams.push(rawStream(there.url, body, () => opened++));
    await until(() => opened === streams.length);
  }
  expect(there.openStreams()).toBe(2000);
  await client.call('SendMessage', { message: { ...invoke('paint', { colour: 'green' }), taskId: result.task.id } });
  const ends = await Promise.all(streams);
  expect(ends.every((text) => text.includes('TASK_STATE_COMPLETED'))).toBe(true);
  await until(() => there.openStreams() === 0);
});

/** What a stream said until its end. Plain sockets: thousands of them are cheap. */
function rawStream(url: string, body: string, onOpen: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
    const request = httpRequest(`${url}/a2a/jsonrpc`, { method: 'POST', headers, agent: false }, (response) => {
      let text = '';
      response.once('data', onOpen);
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve(text);
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
