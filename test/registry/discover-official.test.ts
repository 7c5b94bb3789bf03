import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { AgentCard } from '@a2a-js/sdk';
import { agentCardHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import type { Express } from 'express';
import { agentCardHandler as legacyCardHandler } from 'a2a-js-sdk-0.3/server/express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { cardOf } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;
beforeAll(async () => {
  at = await startRegistry('sqlite');
});
afterAll(() => at.close());

async function discovered(app: Express, path = ''): Promise<unknown> {
  const { origin } = await serveHttp(app as Parameters<typeof serveHttp>[0]);
  const answer = await at.get(`/api/public/discover-agent?url=${encodeURIComponent(`${origin}${path}`)}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

it('[R12] [C.resources.discovery] discovers a stock agent of the A2A SDK, of either generation', async () => {
  const skills = ['get_signals', 'activate_signal'];
  const modern = AgentCard.fromJSON({
    ...cardOf('Stock', skills),
    supportedInterfaces: [{ url: 'https://stock.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });
  const legacy = { ...cardOf('Stock', skills), url: 'https://stock.example/rpc' };
  const apps = [
    express().use(
      '/.well-known/agent-card.json',
      agentCardHandler({ agentCardProvider: () => Promise.resolve(modern) }),
    ),
    express().use(
      '/.well-known/agent-card.json',
      legacyCardHandler({ agentCardProvider: () => Promise.resolve(legacy as never) }),
    ),
  ];
  for (const app of apps)
    expect(await discovered(app)).toEqual({
      name: 'Stock',
      protocols: ['a2a'],
      type: 'signals',
      tools_count: 2,
      tools: skills.map((name) => ({ name, description: `does ${name}` })),
      stats: { publisher_count: 0 },
      description: 'Stock in a test',
    });
});

it.each([
  ['event streams', false],
  ['plain JSON', true],
])('[R12] discovers a server of the official MCP SDK that answers in %s', async (_, enableJsonResponse) => {
  const app = express();
  app.use(express.json());
  app.post('/mcp', async (request, response) => {
    const server = new McpServer({ name: 'official', title: 'Official', version: '1.0.0' });
    server.registerTool('get_products', { description: 'finds products', inputSchema: {} }, () => ({
      content: [],
      structuredContent: { products: [{}, {}] },
    }));
    server.registerTool('create_media_buy', { inputSchema: { buyer_ref: z.string() } }, () => ({ content: [] }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse });
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  expect(await discovered(app, '/mcp')).toEqual({
    name: 'Official',
    protocols: ['mcp'],
    type: 'sales',
    tools_count: 2,
    tools: [
      { name: 'get_products', description: 'finds products' },
      { name: 'create_media_buy', description: '' },
    ],
    stats: { product_count: 2, publisher_count: 0 },
    description: '',
  });
});
