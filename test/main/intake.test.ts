import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import { operatorKey } from '../../src/main/wiring/operator-routes.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';

/** One product, and each of its wires that takes a body. */
const WIRES: readonly {
  wire: string;
  path: string;
  who: 'buyer' | 'operator' | 'nobody';
  headers?: Record<string, string>;
}[] = [
  { wire: 'JSON-RPC of A2A 1.0', path: '/a2a/jsonrpc', who: 'buyer', headers: { 'A2A-Version': '1.0' } },
  { wire: 'JSON-RPC of A2A 0.3', path: '/a2a/jsonrpc', who: 'buyer', headers: { 'A2A-Version': '0.3' } },
  { wire: 'HTTP+JSON of A2A 1.0', path: '/a2a/rest/message:send', who: 'buyer' },
  { wire: 'HTTP+JSON of A2A 0.3', path: '/a2a/rest/v1/message:send', who: 'buyer' },
  { wire: 'the property check', path: '/api/properties/check', who: 'nobody' },
  { wire: 'bulk resolve', path: '/api/properties/resolve/bulk', who: 'nobody' },
  { wire: 'the buyers’ API', path: '/api/buyer/webhooks/test', who: 'buyer' },
  { wire: 'the operator API', path: '/api/operator/sign-in-links/create', who: 'operator' },
  { wire: 'registration of applications', path: '/oauth/register', who: 'nobody' },
];

const { depth, members, elements } = INPUT_LIMITS;
const deep = '['.repeat(depth + 1) + ']'.repeat(depth + 1);
const wide = JSON.stringify(Object.fromEntries(Array.from({ length: members + 1 }, (_, i) => [`k${i}`, 1])));
const long = `[${'1,'.repeat(elements)}1]`;

let agent: TestAgent;
let keys: Record<'buyer' | 'operator' | 'nobody', string>;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', {
    working: false,
    env: { OAUTH_REGISTRATION: 'true', MAX_UNFINISHED_MB: '2' },
  });
  keys = { buyer: agent.apiKey, operator: await operatorKey(agent.core), nobody: '' };
});
afterAll(() => agent.stop());

async function post(path: string, body: string, key = agent.apiKey, headers: Record<string, string> = {}) {
  const response = await fetch(agent.baseUrl + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key !== '' && { Authorization: `Bearer ${key}` }), ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe.each(WIRES)('$wire', ({ path, who, headers }) => {
  it.each([
    ['nests too deep', deep, `deeper than ${depth} levels`],
    ['has an object of too many members', `{"a":${wide}}`, `a: an object has at most ${members} members`],
    ['has an array of too many elements', `{"a":${long}}`, `a: an array has at most ${elements} elements`],
    ['is no JSON', '{"a":', 'not valid JSON'],
  ])('[S1] refuses a body that %s, before any schema sees it', async (_what, body, told) => {
    const answer = await post(path, body, keys[who], headers);
    const isTooLong = path === '/oauth/register' && body.length > INPUT_LIMITS.oauthBodyBytes;
    expect(answer.text).toContain(isTooLong ? `send at most ${INPUT_LIMITS.oauthBodyBytes} bytes` : told);
    expect(answer.status).toBe(path === '/a2a/jsonrpc' ? 200 : 400);
  });
});

it('[S2.refusal] more unfinished bytes than the budget of an address are refused as every budget is, and counted', async () => {
  const refused = await post('/api/properties/check', JSON.stringify({ domains: ['x'.repeat(2_500_000)] }), '');
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text)).toMatchObject({
    retry_after: INPUT_LIMITS.requestMs / 1000,
    budget: { name: 'unfinished_bytes', size: 2, unit: 'MB of unfinished requests at one process' },
  });
  expect(await agent.core.metrics.text()).toContain('budget_refused_total{budget="unfinished_bytes"} 1');
  expect((await post('/api/properties/check', '{"domains":["a.example"]}', '')).status).toBe(200);
});

describe('a buyer’s message', () => {
  const rpc = async (message: object) => {
    const params = { message: { messageId: randomUUID(), role: 'ROLE_USER', ...message } };
    const { text } = await post(
      '/a2a/jsonrpc',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
      agent.apiKey,
      { 'A2A-Version': '1.0' },
    );
    return JSON.parse(text) as {
      result?: { task: { id: string; status: { state: string } } };
      error?: { message: string };
    };
  };
  const call = (skill: string, input: object) => [{ data: { skill, input } }];
  const stored = () => agent.core.store.collection(TaskRuns).count({ organization_id: 'org_demo_buyer' });
  const spread = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

  it.each(['create_media_buy', 'update_media_buy'])(
    '[S1] with 60,000 unknown keys to %s is not looked into',
    async (skill) => {
      const input = skill === 'update_media_buy' ? { media_buy_id: 'x', updates: spread(60_000) } : spread(60_000);
      expect((await rpc({ parts: call(skill, input) })).error?.message).toMatch(/an object has at most 1000 members$/);
    },
  );

  it('[S1] is told the first of thousands of problems, as many as fit', async () => {
    const { error } = await rpc({
      parts: call('create_media_buy', { packages: Array.from({ length: 100 }, () => spread(40)) }),
    });
    expect(error?.message).toMatch(/and more, see issues$/);
  });

  it('[W19] [S1] with more context or metadata than anybody needs is refused and leaves nothing behind', async () => {
    const before = await stored();
    const padding = { padding: 'x'.repeat(INPUT_LIMITS.contextBytes) };
    expect((await rpc({ parts: call('get_products', { brief: 'video', context: padding }) })).error?.message).toMatch(
      /^context: send at most 32768 bytes/,
    );
    expect((await rpc({ metadata: padding, parts: call('get_products', { brief: 'video' }) })).error?.message).toMatch(
      /^message\.metadata: send at most 32768 bytes/,
    );
    const half = { padding: 'x'.repeat(INPUT_LIMITS.metadataBytes / 2) };
    expect(
      (await rpc({ metadata: half, parts: [{ ...call('get_products', { brief: 'video' })[0], metadata: half }] })).error
        ?.message,
    ).toMatch(/^message\.metadata/);
    const unaddressed = [
      { text: 'hello', metadata: {} },
      { data: { input: { padding: 'x'.repeat(INPUT_LIMITS.unaddressedMessageBytes) } } },
    ];
    expect((await rpc({ parts: unaddressed })).error?.message).toMatch(/^message\.parts: name a skill/);
    expect(await stored()).toBe(before);
  });

  it('[S1] that goes on with a task brings no larger context either', async () => {
    const begun = await rpc({ parts: [{ text: 'hello' }] });
    expect(begun.result?.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const context = { padding: 'x'.repeat(INPUT_LIMITS.contextBytes) };
    const { error } = await rpc({
      taskId: begun.result?.task.id,
      parts: call('get_products', { brief: 'video', context }),
    });
    expect(error?.message).toMatch(/^context: send at most 32768 bytes/);
  });
});

it.each([
  ['/a2a/rest/tasks/%zz', 400],
  ['/a2a/rest/v1/tasks/%zz', 400],
  ['/a2a/rest/tasks/%zz/pushNotificationConfigs/%', 400],
  ['/api/operator/approvals/%zz', 400],
  ['/api/properties/check/%zz', 400],
])('[S1] a path that stands for nothing, %s, is the caller’s mistake', async (path, status) => {
  const key = path.startsWith('/api/operator') ? keys.operator : keys.buyer;
  const response = await fetch(agent.baseUrl + path, { headers: { Authorization: `Bearer ${key}` } });
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining('percent-escapes')]);
});

it('[S1] a head beyond its limit is 431', async () => {
  const response = await fetch(`${agent.baseUrl}/healthz`, {
    headers: { 'X-Long': 'x'.repeat(INPUT_LIMITS.headBytes) },
  });
  expect(response.status).toBe(431);
});
