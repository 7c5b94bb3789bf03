import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Config } from '../../../src/main/config/config.ts';
import { a2aRoutes } from '../../../src/main/wiring/a2a-routes.ts';
import { composeOAuth } from '../../../src/main/wiring/oauth.ts';
import { serveApp } from '../../adservers/http/support/bridge.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';

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
