import { A2AService } from '@a2a-js/sdk/server/grpc';
import { status } from '@grpc/grpc-js';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Config } from '../../../src/main/config/config-shape.ts';
import { a2aRoutes } from '../../../src/main/wiring/a2a-routes.ts';
import { composeOAuth } from '../../../src/main/wiring/oauth.ts';
import { requestLog } from '../../../src/main/wiring/request-log.ts';
import { grpcCaller } from '../../a2a/support/raw-grpc.ts';
import { serveApp } from '../../adservers/http/support/bridge.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { openBudgets } from '../../support/open-budgets.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
});
afterAll(() => agent.stop());

/** The routes of an agent that has these settings besides; nothing takes the port of gRPC. */
async function routesWith(settings: Partial<Config>): Promise<string> {
  const core = { ...agent.core, config: { ...agent.core.config, ...settings } };
  const { router } = await a2aRoutes(core, await composeOAuth(core), new AbortController().signal);
  return serveApp(express().use(router));
}

async function grpcUrls(base: string): Promise<string[]> {
  const response = await fetch(`${base}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } });
  const { supportedInterfaces } = (await response.json()) as {
    supportedInterfaces: { url: string; protocolBinding: string }[];
  };
  return supportedInterfaces.flatMap(({ url, protocolBinding }) => (protocolBinding === 'GRPC' ? [url] : []));
}

it('the card says where gRPC is: at the host of the agent, or where the settings say that buyers reach it', async () => {
  const { hostname } = new URL(agent.baseUrl);
  expect(await grpcUrls(await routesWith({}))).toEqual([]);
  expect(await grpcUrls(await routesWith({ grpcPort: 50051 }))).toEqual([`${hostname}:50051`, `${hostname}:50051`]);
  const behind = await routesWith({ grpcPort: 50051, grpcAddress: 'grpc.example:443' });
  expect(await grpcUrls(behind)).toEqual(['grpc.example:443', 'grpc.example:443']);
});

it('pages may call from the origins of the settings', async () => {
  const base = await routesWith({ corsOrigins: ['https://app.example'] });
  const response = await fetch(`${base}/a2a/jsonrpc`, { method: 'POST', headers: { Origin: 'https://app.example' } });
  expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([401, 'https://app.example']);
});

it('[S2.credentials] wrong credentials of one address count together over JSON-RPC, HTTP+JSON and gRPC', async () => {
  const { core } = agent;
  const { budgets, close } = openBudgets({ sizes: { failed_credentials: 3 } });
  const config = { ...core.config, grpcPort: 0 };
  const routes = await a2aRoutes({ ...core, config, budgets }, await composeOAuth(core), new AbortController().signal);
  const requests = requestLog({ log: core.log, clock: core.clock, level: 'silent' });
  const base = await serveApp(express().use(requests).use(routes.router));
  const grpc = await routes.startGrpc();
  const overHttp = (path: string, key: string) =>
    fetch(base + path, { headers: { Authorization: `Bearer ${key}`, 'A2A-Version': '1.0' } });
  const overGrpc = async (key: string) => {
    const client = grpcCaller(A2AService, grpc?.port ?? 0, key);
    const refused = await client.call('getTask', { id: 'none', tenant: '' });
    client.close();
    return refused?.code;
  };
  const wrong = (n: number) => `mk_live_${String(n).repeat(43)}`;
  expect((await overHttp('/a2a/rest/tasks', agent.apiKey)).status).toBe(200);
  expect((await overHttp('/a2a/rest/tasks', wrong(1))).status).toBe(401);
  const rpc = { method: 'POST', headers: { Authorization: `Bearer ${wrong(2)}` } };
  expect((await fetch(`${base}/a2a/jsonrpc`, rpc)).status).toBe(401);
  expect(await overGrpc(wrong(3))).toBe(status.UNAUTHENTICATED);
  expect(await overGrpc(wrong(4))).toBe(status.RESOURCE_EXHAUSTED);
  const refused = await overHttp('/a2a/rest/tasks', wrong(5));
  expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([429, true]);
  expect((await overHttp('/a2a/rest/tasks', agent.apiKey)).status).toBe(200);
  expect(await overGrpc(agent.apiKey)).toBe(status.NOT_FOUND);
  await grpc?.stop(0);
  await close();
});
