import { Router } from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../../src/admin/operator/operations.ts';
import { createServerApp } from '../../../src/main/wiring/server-app.ts';
import { a2aRoutes } from '../../../src/main/wiring/a2a-routes.ts';
import { composeOAuth } from '../../../src/main/wiring/oauth.ts';
import { PATHS } from '../../../src/oauth/metadata.ts';
import { endpoints } from '../../../src/registry/index.ts';
import { serveApp } from '../../adservers/http/support/bridge.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
});
afterAll(() => agent.stop());

interface Route {
  method: string;
  path: string;
}

const named = (path: string) => path.replaceAll(/[:*](\w+)|\{(\w+)\}/g, 'some').replaceAll(/[{}]/g, '');
const all = (method: string, paths: readonly string[]): Route[] => paths.map((path) => ({ method, path }));

const ROUTES: readonly Route[] = [
  ...operations.map(({ method, path }) => ({ method: method.toUpperCase(), path: `/api/operator${named(path)}` })),
  ...endpoints.map(({ method, path }) => ({ method: method.toUpperCase(), path: named(path) })),
  ...all('GET', Object.values(PATHS)),
  ...all('POST', Object.values(PATHS)),
  ...all('POST', ['/a2a/jsonrpc', '/a2a/rest/v1/message:send', '/ad-server/events', '/admin/sign-out', '/nowhere']),
  ...all('GET', [
    '/a2a/rest/v1/tasks/x',
    '/a2a/rest/tasks/%zz',
    '/admin',
    '/admin/sign-in',
    '/admin/queues',
    '/portal',
    '/portal/sign-in',
    '/nowhere',
  ]),
  ...all('GET', ['/.well-known/agent-card.json', '/.well-known/agent.json', '/.well-known/adagents.json']),
  ...all('GET', ['/.well-known/jwks.json', '/.well-known/brand.json', '/.well-known/oauth-authorization-server']),
  ...all('GET', [
    '/',
    '/favicon.ico',
    '/schemas',
    '/schemas/none',
    '/docs',
    '/docs/agent',
    '/openapi.json',
    '/healthz',
    '/readyz',
  ]),
];

async function headersOf({ method, path }: Route, headers: Record<string, string> = {}): Promise<Headers> {
  const response = await fetch(agent.baseUrl + path, { method, headers, redirect: 'manual' });
  // A stream has no end.
  await response.body?.cancel();
  return response.headers;
}

it('[S4.headers] every answer of every route says that its body is what it says, tells no address onward, and who may keep it', async () => {
  expect(ROUTES.length).toBeGreaterThan(100);
  const wrong: string[] = [];
  for (const route of ROUTES) {
    for (const headers of [{}, { authorization: 'Bearer nobodys-key' }]) {
      const found = await headersOf(route, headers);
      const isRight =
        found.get('x-content-type-options') === 'nosniff' &&
        /^(no-referrer|same-origin)$/.test(found.get('referrer-policy') ?? '') &&
        found.has('cache-control') &&
        !found.has('strict-transport-security');
      if (!isRight) wrong.push(`${route.method} ${route.path}: ${JSON.stringify([...found])}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('[S4.headers] what was asked with a credential is stored nowhere', async () => {
  const authorization = `Bearer ${agent.apiKey}`;
  for (const path of ['/api/me/agents', '/a2a/rest/v1/tasks', '/mcp', '/api/registry/operator?domain=a.example']) {
    const found = await headersOf({ method: 'GET', path }, { authorization });
    expect([path, found.get('cache-control')]).toEqual([path, 'no-store']);
  }
});

it('/healthz says 503 where the event loop is held up, so that the process is started anew', async () => {
  let isStuck = false;
  const core = { ...agent.core, loop: { ...agent.core.loop, isStuck: () => isStuck } };
  const base = await serveApp(await createServerApp(core, await composeOAuth(core), Router()));
  const healthz = async () => {
    const answer = await fetch(`${base}/healthz`);
    return [answer.status, await answer.json()];
  };
  expect(await healthz()).toEqual([200, { status: 'ok' }]);
  isStuck = true;
  expect(await healthz()).toEqual([503, { status: 'stuck' }]);
});

it('[S4.headers] https is asked for where the agent is reached by it, of this host alone', async () => {
  const core = { ...agent.core, baseUrl: 'https://sales.publisher.example' };
  const oauth = await composeOAuth(core);
  const { router } = await a2aRoutes(core, oauth, new AbortController().signal);
  const base = await serveApp(await createServerApp(core, oauth, router));
  for (const path of ['/healthz', '/admin/sign-in', '/.well-known/agent-card.json', '/nowhere']) {
    const { headers } = await fetch(base + path);
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
  }
});
