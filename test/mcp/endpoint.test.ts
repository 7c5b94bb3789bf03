import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKeys, createApiKey, revokeApiKey } from '../../src/directory/api-key/api-key.ts';
import { ensureDemoOrganization } from '../../src/directory/bootstrap.ts';
import type { Config } from '../../src/main/config/config-shape.ts';
import { a2aRoutes } from '../../src/main/wiring/a2a-routes.ts';
import { mcpRoutes } from '../../src/main/wiring/mcp-routes.ts';
import { composeOAuth } from '../../src/main/wiring/oauth.ts';
import type { McpOptions } from '../../src/mcp/router.ts';
import { serveApp } from '../adservers/http/support/bridge.ts';
import { mediaBuyInput } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { accessToken, loginEnv, person } from '../journeys/support/user.ts';
import { allEvents, readEvents } from '../a2a/support/sse.ts';
import { openBudgets } from '../support/open-budgets.ts';
import { until } from '../support/until.ts';

const ADA = person('ada@acme.example');
let agent: TestAgent;

beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false, env: loginEnv([ADA]) });
});
afterAll(() => agent.stop());

interface Rpc {
  error?: { code: number; message: string; data?: { error: { code: string; field?: string } } };
  result?: {
    structuredContent?: Record<string, unknown>;
    isError?: boolean;
    content?: { text: string }[];
    tools?: { name: string }[];
  };
}

const bearer = () => ({ authorization: `Bearer ${agent.apiKey}` });

/** What is sent, and its whole answer: one that nobody reads would keep its connection. */
async function send(body: unknown, headers?: Record<string, string>, base?: string): Promise<Response> {
  return whole(await begin(body, headers, base));
}

async function whole(response: Response): Promise<Response> {
  const { status, headers } = response;
  return new Response(await response.text(), { status, headers });
}

/** The same, with its answer as it comes. */
function begin(body: unknown, headers: Record<string, string> = bearer(), base = agent.baseUrl): Promise<Response> {
  return fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const rpc = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const calling = (name: string, input: object) => rpc('tools/call', { name, arguments: input });

/** The answer to one request of 2025, which comes as the one event of a stream. */
async function answered(response: Response): Promise<Rpc> {
  if (response.headers.get('content-type') !== 'text/event-stream') return (await response.json()) as Rpc;
  const events = await allEvents(response);
  return events.at(-1)?.data as Rpc;
}

/** Another server's `/mcp` on the same store, until the test is over. */
async function served(settings: Partial<Config>, changes: Partial<McpOptions> = {}, stopping = new AbortController()) {
  const core = { ...agent.core, config: { ...agent.core.config, ...settings } };
  const oauth = await composeOAuth(core);
  const a2a = await a2aRoutes(core, oauth, stopping.signal);
  return serveApp(express().use(mcpRoutes(core, oauth, stopping.signal, a2a, changes)));
}

it('[D9.callers] who has no good credential is told 401 and where to get one', async () => {
  const metadata = `${agent.baseUrl}/.well-known/oauth-protected-resource/mcp`;
  const stranger = await send(calling('get_media_buys', {}), {});
  expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer resource_metadata="${metadata}"`,
  ]);
  expect(await answered(stranger)).toMatchObject({ id: null, error: { data: { error: { code: 'UNAUTHORIZED' } } } });
  for (const headers of [{ authorization: 'Bearer mk_live_unknown' }, { 'x-adcp-auth': 'unknown' }]) {
    const wrong = await send(rpc('tools/list'), headers);
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}", error="invalid_token"`,
    ]);
  }
  const root = await fetch(`${agent.baseUrl}/.well-known/oauth-protected-resource`);
  expect(await root.json()).toMatchObject({ resource: `${agent.baseUrl}/mcp` });
  const document = await fetch(metadata);
  expect(await document.json()).toMatchObject({
    resource: `${agent.baseUrl}/mcp`,
    scopes_supported: ['tasks:read', 'tasks:write'],
  });
});

it('[D9.callers] a key opens it in any of its headers, a token where it was made for it', async () => {
  const tokens = { mcp: await newToken('/mcp'), a2a: await newToken('/a2a') };
  const statuses = async (...all: Record<string, string>[]) =>
    Promise.all(all.map(async (headers) => (await send(rpc('tools/list'), headers)).status));
  const { apiKey } = agent;
  expect(
    await statuses(
      ...[bearer(), { 'x-api-key': apiKey }, { 'x-adcp-auth': apiKey }, { ...bearer(), 'x-adcp-auth': apiKey }],
      { authorization: `Bearer ${tokens.mcp}` },
    ),
  ).toEqual([200, 200, 200, 200, 200]);
  expect(await statuses({ ...bearer(), 'x-adcp-auth': 'another' }, { authorization: `Bearer ${tokens.a2a}` })).toEqual([
    401, 401,
  ]);
});

let organization_id: string | undefined;
async function newToken(path: '/mcp' | '/a2a'): Promise<string> {
  if (organization_id === undefined) {
    const api = await accessToken(agent, ADA, { path: '/api' });
    const made = await fetch(`${agent.baseUrl}/api/organizations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api}`, 'content-type': 'application/json' },
      body: JSON.stringify({ organization_name: 'Acme Outdoor' }),
    });
    ({ organization_id } = (await made.json()) as { organization_id?: string });
  }
  return accessToken(agent, ADA, { path });
}

it('[D9.callers] requests count in the budget of requests', async () => {
  const { budgets, close } = openBudgets({ sizes: { requests: 2 } });
  const base = await served({}, { budgets });
  const answers = await Promise.all([1, 2, 3].map(() => send(rpc('tools/list'), bearer(), base)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused && (await answered(refused))).toMatchObject({ error: { data: { error: { code: 'RATE_LIMITED' } } } });
  await close();
});

it('[D9.names] a foreign host or origin is refused before anything else, the agent’s own and those of the settings are not', async () => {
  const named = (host: string, base = agent.baseUrl) => statusOf(base, { host });
  const { port } = new URL(agent.baseUrl);
  expect([await named(`evil.example:${port}`), await named('127.0.0.1.evil.example'), await named('a b')]).toEqual([
    403, 403, 403,
  ]);
  expect([await named(`localhost:${port}`), await named(`127.0.0.1:${port}`), await named(`[::1]:${port}`)]).toEqual([
    401, 401, 401,
  ]);
  const from = async (origin: string, base = agent.baseUrl) => {
    const response = await send(rpc('resources/list'), { origin }, base);
    return [response.status, response.headers.get('access-control-allow-origin')];
  };
  expect(await from('https://evil.example')).toEqual([403, null]);
  expect(await from('null')).toEqual([403, null]);
  expect(await from(agent.baseUrl)).toEqual([401, null]);
  const public_ = {
    baseUrl: 'https://sales.publisher.example',
    isAtLoopback: false,
    corsOrigins: ['https://app.example'],
  };
  const base = await served({ corsOrigins: ['https://app.example'] }, { names: { ...public_, isAtLoopback: true } });
  expect(await from('https://app.example', base)).toEqual([401, 'https://app.example']);
  expect(await from('https://app.example.evil.example', base)).toEqual([403, null]);
  const elsewhere = await served({}, { names: public_ });
  expect([await named('127.0.0.1', elsewhere), await named('sales.publisher.example', elsewhere)]).toEqual([403, 401]);
});

/** `fetch` sets the Host itself. */
async function statusOf(base: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = httpRequest(`${base}/mcp`, { method: 'POST', headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

it('[D9] [S1] what is no message within the limits is refused by its status, and says why', async () => {
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(70)}${']'.repeat(70)}}`;
  const cases: [body: unknown, status: number, code: number, headers?: Record<string, string>][] = [
    ['{', 400, -32700],
    ['', 400, -32700],
    [deep, 400, -32600],
    [`"${'x'.repeat(1_048_576)}"`, 413, -32000],
    [[rpc('tools/list')], 400, -32600],
    ['7', 400, -32600],
    [rpc('subscriptions/listen'), 404, -32601],
    [rpc('tools/call', { name: 'get_products', arguments: [] }), 400, -32600],
    [{ ...rpc('tools/call'), params: { name: 'get_products', arguments: { brief: '\ud800' } } }, 400, -32600],
    [rpc('tools/list'), 415, -32000, { 'content-type': 'text/plain' }],
  ];
  for (const [body, status, code, headers] of cases) {
    const response = await send(body, { ...bearer(), ...headers });
    const { error } = await answered(response);
    expect([JSON.stringify(body).slice(0, 80), response.status, error?.code]).toEqual([
      JSON.stringify(body).slice(0, 80),
      status,
      code,
    ]);
    expect(error?.message).not.toBe('');
    expect(response.headers.get('etag')).toBeNull();
  }
});

it('[D9] there is nothing to GET or DELETE', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await whole(await fetch(`${agent.baseUrl}/mcp`, { method, headers: bearer() }));
    expect([response.status, response.headers.get('allow'), response.headers.get('etag')]).toEqual([405, 'POST', null]);
  }
});

it('[D9.answers] [W19] a context comes back as it was written, in the values and in the text', async () => {
  const written = '{"b":1.10,"a":12345678901234567890}';
  for (const [name, mode] of [
    ['get_products', 'refine'],
    ['get_adcp_capabilities', 'wholesale'],
  ]) {
    const input = `{"adcp_version":"3.1","buying_mode":"${mode}","context":${written}}`;
    const params = `{"name":"${name}","arguments":${input}}`;
    const text = await (await send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)).text();
    expect(text).toContain(`"context":${written}`);
    expect(text).toContain(`\\"context\\":${written.replaceAll('"', '\\"')}`);
  }
});

it('[D9.answers] a task is asked for by the name that clients know, which no tool may have', async () => {
  const asked = await answered(await send(calling('tasks/get', { task_id: 'none' })));
  expect(asked.result).toMatchObject({
    isError: true,
    structuredContent: { adcp_error: { code: 'REFERENCE_NOT_FOUND' } },
  });
});

it('calls are counted by their tool and how they came out, never by a name that a client made up', async () => {
  await (await send(calling('list_creative_formats', {}))).text();
  await (await send(calling('made_up_by_a_client', {}))).text();
  const measured = await agent.core.metrics.text();
  expect(measured).toMatch(/^mba_mcp_calls_total\{tool="list_creative_formats",outcome="ok"\} 1$/m);
  expect(measured).toMatch(/^mba_mcp_calls_total\{tool="unknown",outcome="unknown_tool"\} 1$/m);
  expect(measured).toMatch(/^mba_http_requests_total\{edge="mcp",route="POST \/mcp",status="200"\} \d+$/m);
  expect(measured).not.toContain('made_up');
});

it('[D9.tools] MCP_TASKS=contract has the agent’s own tasks, which are called and answered in its words', async () => {
  const base = await served({ mcpTasks: 'contract' });
  const { result } = await answered(await send(rpc('tools/list'), bearer(), base));
  expect(result?.tools?.map(({ name }) => name)).toEqual([...agent.core.runtime.tasks.keys()]);
  const found = await answered(await send(calling('get_products', { brief: 'podcasts' }), bearer(), base));
  expect(found.result?.structuredContent).toMatchObject({ task_type: 'get_products', status: 'completed' });
  const refused = await answered(await send(calling('get_products', { brief: 7 }), bearer(), base));
  expect(refused.result).toMatchObject({
    isError: true,
    structuredContent: { status: 'failed', error: { code: 'VALIDATION_ERROR', field: 'brief' } },
  });
  const unknown = await answered(await send(calling('get_adcp_capabilities', {}), bearer(), base));
  expect(unknown.error?.code).toBe(-32602);
});

it('[D9.callers] [S5.streams] an answer that waits ends when the server stops, with the task to ask for', async () => {
  const stopping = new AbortController();
  const base = await served({ mcpTasks: 'contract' }, {}, stopping);
  const { response, task } = await waiting(base, bearer());
  stopping.abort();
  const { result } = await answered(response);
  expect(result?.structuredContent).toMatchObject({
    task_id: task,
    task_type: 'create_media_buy',
    status: 'submitted',
  });
});

it('[D9.callers] [S5.streams] an answer that waits ends with its credential, and tells nothing', async () => {
  const { core } = agent;
  const base = await served({ mcpTasks: 'contract' }, { lookAgainMs: 30 });
  const keys = core.store.collection(apiKeys);
  const { organization_id: of } = await ensureDemoOrganization(core);
  const { raw, key } = await createApiKey({ ...core, keys }, { organization_id: of, name: 'to be revoked' });
  const { response } = await waiting(base, { authorization: `Bearer ${raw}` });
  await revokeApiKey({ ...core, keys }, of, key.api_key_id);
  expect(await answered(response)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: expect.objectContaining({
      data: { error: expect.objectContaining({ code: 'UNAUTHORIZED' }) as unknown },
    }) as unknown,
  });
});

it('[D9.answers] tells who asks for it how far a task is, on the stream of its answer', async () => {
  const stopping = new AbortController();
  const base = await served({ mcpTasks: 'contract' }, {}, stopping);
  const params = { name: 'create_media_buy', arguments: mediaBuyInput(agent), _meta: { progressToken: 'mine' } };
  const response = await begin(rpc('tools/call', params), bearer(), base);
  const told: unknown[] = [];
  for await (const { data } of readEvents(response)) {
    told.push(data);
    stopping.abort();
  }
  expect(told).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress: 1, message: expect.any(String) as unknown },
    },
    {
      jsonrpc: '2.0',
      id: 1,
      result: expect.objectContaining({
        structuredContent: expect.objectContaining({ status: 'submitted' }) as unknown,
      }) as unknown,
    },
  ]);
});

/** An answer that waits for work which nobody does, and its task. */
async function waiting(base: string, headers: Record<string, string>): Promise<{ response: Response; task: string }> {
  const known = new Set(await queued());
  const response = await begin(calling('create_media_buy', mediaBuyInput(agent)), headers, base);
  let task: string | undefined;
  await until(async () => {
    task = (await queued()).find((id) => !known.has(id));
    return task !== undefined;
  });
  return { response, task: task ?? '' };
}

async function queued(): Promise<string[]> {
  const { organization_id: of } = await ensureDemoOrganization(agent.core);
  const caller = { organization_id: of, principal_id: 'test', scopes: ['tasks:read'] } as const;
  const { tasks } = await agent.core.runtime.peek(caller, 'list_tasks', { status: 'submitted' });
  return (tasks as { task_id: string }[]).map(({ task_id }) => task_id);
}
