import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedExtensions } from '../../src/a2a/extensions.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';

let agent: Agent;
let key: string;
let ours: string;
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS, grpc: true });
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

it('over gRPC it stands in the metadata before the answer', async () => {
  const Client = makeGenericClientConstructor(A2AService, 'A2AService');
  const client = new Client(agent.grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  metadata.set('a2a-version', '1.0');
  metadata.set('a2a-extensions', `https://unknown.example/v1, ${ours}`);
  try {
    const told = await new Promise<Metadata>((resolve, reject) => {
      const list = client['listTasks'] as (...args: unknown[]) => {
        on(event: string, heard: (given: Metadata) => void): void;
      };
      const request = { tenant: '', contextId: '', status: 0, pageToken: '' };
      const call = list.call(client, request, metadata, (error: Error | null) => {
        if (error !== null) reject(error);
      });
      call.on('metadata', resolve);
    });
    expect(told.get('a2a-extensions')).toEqual([ours]);
  } finally {
    client.close();
  }
});
