import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { status } from '@grpc/grpc-js';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { grpcCaller } from './support/raw-grpc.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { allEvents } from './support/sse.ts';
import { TASKS } from './support/tasks.ts';

/** Two servers of one agent; streams are opened at one, and what opened them is taken back at the other. */
let here: Agent;
let there: Agent;
const shared = { dataDir: '', prefix: `t-${randomUUID()}` };

beforeAll(async () => {
  shared.dataDir = await mkdtemp(join(tmpdir(), 'a2a-test-'));
  const limits = { lookAgainMs: 30 };
  here = await openAgent({ tasks: TASKS, shared, grpc: true, options: { limits } });
  there = await openAgent({ tasks: TASKS, shared, works: false, options: { limits } });
});
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await rm(shared.dataDir, { recursive: true });
});

type Stream = (key: string, id: string) => Promise<{ code: unknown; status: unknown; first: boolean }>;

const rpc =
  (method: string, codeOf: (error: RpcError) => unknown): Stream =>
  async (key, id) => {
    const response = await fetch(`${here.url}/a2a/jsonrpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id } }),
    });
    const events = await allEvents(response);
    const { error } = events.at(-1)?.data as { error: RpcError };
    return { code: codeOf(error), status: error.code, first: events.length === 2 && events[1]?.event === 'error' };
  };

const rest =
  (path: (id: string) => string, codeOf: (body: RestError) => unknown): Stream =>
  async (key, id) => {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${here.url}/a2a/rest${path(id)}`, { method: 'POST', headers });
    const events = await allEvents(response);
    const last = events.at(-1)?.data as RestError;
    const first = events.length === 2 && events[1]?.event === 'error';
    return { code: codeOf(last), status: last.code ?? last.error?.code, first };
  };

const grpc =
  (service: ServiceDefinition, rpcName: string, request: (id: string) => object): Stream =>
  async (key, id) => {
    const client = grpcCaller(service, Number(here.grpcAddress.split(':')[1]), key);
    const { events, ended } = client.stream(rpcName, request(id));
    const { code } = (await ended) ?? {};
    client.close();
    return { code: code === status.UNAUTHENTICATED ? 'UNAUTHORIZED' : code, status: code, first: events.length === 1 };
  };

interface RpcError {
  code: number;
  data: { error: { code: string } }[] & { error: { code: string } };
}
interface RestError {
  code?: number;
  data?: { error: { code: string } };
  error?: { code: number; details: { error?: { code: string } }[] };
}

const WIRES: [string, Stream, status: number][] = [
  ['JSON-RPC 1.0', rpc('SubscribeToTask', ({ data }) => data[1]?.error.code), -32600],
  ['JSON-RPC 0.3', rpc('tasks/resubscribe', ({ data }) => data.error.code), -32600],
  [
    'REST 1.0',
    rest(
      (id) => `/tasks/${id}:subscribe`,
      ({ error }) => error?.details[1]?.error?.code,
    ),
    401,
  ],
  [
    'REST 0.3',
    rest(
      (id) => `/v1/tasks/${id}:subscribe`,
      ({ data }) => data?.error.code,
    ),
    -32600,
  ],
  ['gRPC 1.0', grpc(A2AService, 'subscribeToTask', (id) => ({ tenant: '', id })), status.UNAUTHENTICATED],
  ['gRPC 0.3', grpc(LegacyA2AService, 'taskSubscription', (id) => ({ name: `tasks/${id}` })), status.UNAUTHENTICATED],
];

it('[S5.streams] a key revoked at one server ends its streams at another, on every wire, and no others', async () => {
  const organization = organizationId(randomUUID());
  const key = await there.newKey(undefined, organization);
  const others = await there.newKey();
  const task = async (of: string) => {
    const { result } = await rpcClient(here.url, of, '1.0').call('SendMessage', { message: invoke('paint', {}) });
    return result.task.id;
  };
  const [mine, theirs] = [await task(key), await task(others)];
  const leave = new AbortController();
  const stays = await fetch(`${here.url}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${others}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: theirs } }),
    signal: leave.signal,
  });
  const open = WIRES.map(([, stream]) => stream(key, mine));
  await until(() => here.openStreams() === WIRES.length + 1);
  await there.revokeKeys(organization);
  expect(await Promise.all(open)).toEqual(WIRES.map(([, , of]) => ({ code: 'UNAUTHORIZED', status: of, first: true })));
  await until(() => here.openStreams() === 1);
  leave.abort();
  await stays.text().catch(() => undefined);
  await until(() => here.openStreams() === 0);
});
