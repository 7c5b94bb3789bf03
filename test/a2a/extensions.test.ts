import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedExtensions } from '../../src/a2a/extensions.ts';
import { currentRequest } from '../../src/platform/request-context.ts';
import type { SecurityLog } from '../../src/platform/security/security-log.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';

const recorded: unknown[] = [];
const security: SecurityLog = {
  record: (kind, facts) => recorded.push({ kind, ...facts, ...currentRequest() }),
  close: () => undefined,
};
let agent: Agent;
let key: string;
let ours: string;
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS, grpc: true, options: { security } });
  key = await agent.newKey();
  const card = (await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json()) as {
    capabilities: { extensions: [{ uri: string }] };
  };
  ours = card.capabilities.extensions[0].uri;
});
afterAll(() => agent.close());

it('the extensions that are shared are those that the agent has, each once', () => {
  expect(sharedExtensions('b,  a,c , a', ['a', 'b', 'd'])).toBe('a, b');
  expect(sharedExtensions('', ['a'])).toBeUndefined();
});

it('a header names the extensions that are used, over both HTTP bindings, in either generation and in streams', async () => {
  const asked = `https://unknown.example/v1, ${ours}`;
  for (const [path, method, header, version] of [
    ['/a2a/jsonrpc', 'SendMessage', 'A2A-Extensions', '1.0'],
    ['/a2a/jsonrpc', 'SendStreamingMessage', 'A2A-Extensions', '1.0'],
    ['/a2a/jsonrpc', 'message/send', 'X-A2A-Extensions', '0.3'],
    ['/a2a/rest/message:send', '', 'A2A-Extensions', '1.0'],
    ['/a2a/rest/message:stream', '', 'A2A-Extensions', '1.0'],
  ] as const) {
    const params = { message: (version === '1.0' ? invoke : invoke03)('echo', { say: 'hello' }) };
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}`, 'A2A-Version': version };
    const response = await fetch(agent.url + path, {
      method: 'POST',
      headers: { ...headers, [header]: asked },
      body: JSON.stringify(method === '' ? params : { jsonrpc: '2.0', id: 1, method, params }),
    });
    expect([path, method, response.status, response.headers.get(header)]).toEqual([path, method, 200, ours]);
    await response.text();
  }
});

it('it is left out where none is asked for that the agent has', async () => {
  for (const headers of [{}, { 'A2A-Extensions': 'https://unknown.example/v1' }]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} });
    const answer = await rpcClient(agent.url, key, '1.0').post(body, headers);
    expect([answer.status, answer.headers.get('A2A-Extensions')]).toEqual([200, null]);
  }
});

interface Told {
  before: Metadata | undefined;
  status: { code: number; metadata: Metadata };
}

/** What a call over gRPC is told besides its answer. */
async function listOverGrpc(headers: Record<string, string>): Promise<Told> {
  const Client = makeGenericClientConstructor(A2AService, 'A2AService');
  const client = new Client(agent.grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ 'a2a-version': '1.0', ...headers })) metadata.set(name, value);
  try {
    return await new Promise<Told>((resolve) => {
      const list = client['listTasks'] as (...args: unknown[]) => {
        on(event: 'metadata', heard: (given: Metadata) => void): void;
        on(event: 'status', heard: (given: Told['status']) => void): void;
      };
      const request = { tenant: '', contextId: '', status: 0, pageToken: '' };
      let before: Metadata | undefined;
      const call = list.call(client, request, metadata, () => undefined);
      call.on('metadata', (given) => {
        before = given;
      });
      call.on('status', (status) => {
        resolve({ before, status });
      });
    });
  } finally {
    client.close();
  }
}

it('over gRPC it stands in the metadata before the answer', async () => {
  const asked = `https://unknown.example/v1, ${ours}`;
  const { before } = await listOverGrpc({ authorization: `Bearer ${key}`, 'a2a-extensions': asked });
  expect(before?.get('a2a-extensions')).toEqual([ours]);
});

it('[S5.request-id] over gRPC it stands in the metadata and the trailers, and on record with who was refused what', async () => {
  const good = await listOverGrpc({ authorization: `Bearer ${key}` });
  expect(good.status.code).toBe(0);
  const [id] = good.status.metadata.get('x-request-id');
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(good.before?.get('x-request-id')).toEqual([id]);

  const unknown = await listOverGrpc({ authorization: 'Bearer nobody', 'x-request-id': 'chosen-by-a-stranger' });
  expect(unknown.status.code).toBe(16);
  expect(unknown.status.metadata.get('x-request-id')).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);

  const writer = await agent.newKey(['tasks:write']);
  const refused = await listOverGrpc({ authorization: `Bearer ${writer}` });
  expect(refused.status.code).toBe(7);
  const [request_id] = refused.status.metadata.get('x-request-id');
  expect(recorded).toMatchObject([{ kind: 'access.refused', edge: 'grpc', address: '127.0.0.1', request_id }]);
});
