import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BudgetSizes } from '../../src/platform/budget/budget-table.ts';
import { createBudgets } from '../../src/platform/budget/budgets.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/log.ts';
import { noCounters } from '../../src/platform/metrics/metrics.ts';
import { createRateLimiter } from '../../src/platform/redis/rate-limit-redis.ts';
import { organizationId } from '../support/ids.ts';
import { slowWindows } from '../support/slow-windows.ts';
import { INTERNAL } from './support/leaks.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';
import { wireClients } from './support/wires.ts';

describe('limits', () => {
  const limiter = slowWindows(
    createRateLimiter({
      connection: process.env['REDIS_TEST_URL'] ?? '',
      prefix: `t-${randomUUID()}`,
      logger: createLogger('fatal'),
    }),
  );
  const budgetsOf = (sizes: BudgetSizes) => createBudgets({ limiter, clock: systemClock, counters: noCounters, sizes });
  let agents: Agent[];
  beforeAll(async () => {
    const options = { budgets: budgetsOf({ requests: 5 }), limits: { messageParts: 3 } };
    agents = [await openAgent({ tasks: TASKS, options }), await openAgent({ tasks: TASKS, options })];
  });
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.close()));
    await limiter.close();
  });

  it('[R14] holds for an organization across servers, and says when to come again', async () => {
    const organization = organizationId(randomUUID());
    const clients = await Promise.all(
      agents.map(async (agent) => rpcClient(agent.url, await agent.newKey(undefined, organization), '1.0')),
    );
    const ask = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}';
    const answers = await Promise.all(clients.flatMap((client) => Array.from({ length: 8 }, () => client.post(ask))));
    const limited = answers.filter((answer) => answer.status === 429);
    expect(answers.length - limited.length).toBe(5);
    expect(limited[0]?.headers.get('retry-after')).toBe('1');
    expect(limited[0]?.body.error.data[1].error).toMatchObject({ code: 'RATE_LIMITED', recovery: 'transient' });
  });

  it('[R14] refuses nobody below it: 300 at once by a key that nobody has met are answered 300 times, at both servers', async () => {
    // Little more than is asked for, so that a block too many for a request is one too few for another.
    const options = { budgets: budgetsOf({ requests: 350 }) };
    const both = [await openAgent({ tasks: TASKS, options }), await openAgent({ tasks: TASKS, options })];
    const organization = organizationId(randomUUID());
    const clients = await Promise.all(
      both.map(async (agent) => rpcClient(agent.url, await agent.newKey(undefined, organization), '1.0')),
    );
    const ask = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}';
    const answers = await Promise.all(clients.flatMap((client) => Array.from({ length: 150 }, () => client.post(ask))));
    const codes = new Set(answers.map(({ body }) => body.error.data[1].error.code as string));
    expect(codes).toEqual(new Set(['TASK_NOT_FOUND']));
    await Promise.all(both.map((agent) => agent.close()));
  });

  it('[R14] [S2.refusal] holds on every wire, each of which says which budget it is and when to come again', async () => {
    const one = await openAgent({
      tasks: TASKS,
      grpc: true,
      options: { budgets: budgetsOf({ requests: 1, a2a_streams: 0 }) },
    });
    for (const [i, { name }] of wireClients(one, '').entries()) {
      const streaming = wireClients(one, await one.newKey())[i];
      const { result } = await rpcClient(one.url, await one.newKey(), '1.0').call('SendMessage', {
        message: invoke('paint', {}),
      });
      const asking = wireClients(one, await one.newKey())[i];
      const ask = () => asking?.refusal('get', { taskId: 'x' });
      const answers = await Promise.all([ask(), ask(), ask(), ask()]);
      const limited = answers.find((answer) => answer?.code === 'RATE_LIMITED');
      const status = { JSONRPC: -32603, 'HTTP+JSON': 429, GRPC: 8 }[asking?.binding ?? 'GRPC'];
      expect({ name, ...limited }).toMatchObject({ name, status, retryAfter: '1' });
      expect(limited?.text).toMatch(/budget.*requests a second/s);
      const stream = await streaming?.refusal('subscribe', { taskId: result.task.id });
      expect({ name, ...stream }).toMatchObject({ name, code: 'RATE_LIMITED', status });
    }
    await one.close();
  });

  it('[S2.bytes] 150 requests with large contexts are refused once their organization has stored its bytes of the day, and no other', async () => {
    const one = await openAgent({ tasks: TASKS, options: { budgets: budgetsOf({ stored_bytes: 1 }) } });
    const large = (kilobytes: number) => ({ thing: 'house', context: { note: 'x'.repeat(kilobytes * 1000) } });
    const build = async (client: ReturnType<typeof rpcClient>, input: object) =>
      client.call('SendMessage', { message: invoke('build', input), configuration: { returnImmediately: true } });
    const [hungry, other] = [
      rpcClient(one.url, await one.newKey(), '1.0'),
      rpcClient(one.url, await one.newKey(), '1.0'),
    ];
    // One of a megabyte is too large, whoever sends it.
    expect((await build(hungry, large(1000))).error.data[1].error).toMatchObject({
      field: expect.stringMatching(/data\.input\.context/) as string,
    });
    const answers = [];
    for (let i = 0; i < 150; i++) answers.push(await build(hungry, large(31)));
    const taken = answers.filter((answer) => !('error' in answer)).length;
    expect(taken).toBeGreaterThan(5);
    expect(taken).toBeLessThan(1_000_000 / 31_000);
    expect(answers.at(-1)?.error.data[1].error).toMatchObject({
      code: 'RATE_LIMITED',
      details: { budget: { name: 'stored_bytes' } },
    });
    expect((await build(other, large(31))).error).toBeUndefined();
    await one.close();
  });

  it('refuses a message of too many parts', async () => {
    const [agent] = agents;
    if (agent === undefined) throw new Error('no agent');
    const client = rpcClient(agent.url, await agent.newKey(), '1.0');
    const { error } = await client.call('SendMessage', {
      message: { ...invoke('echo', { say: 'x' }), parts: Array.from({ length: 4 }, () => ({ text: 'x' })) },
    });
    expect(error.data[0].metadata['field']).toBe('message.parts');
  });
});

describe('what goes wrong', () => {
  let agent: Agent;
  let key: string;
  beforeAll(async () => {
    agent = await openAgent({ tasks: TASKS });
    key = await agent.newKey();
  });
  afterAll(() => agent.close());

  const HOSTILE: unknown[] = [
    null,
    [],
    5,
    {},
    { message: null },
    { message: 'text' },
    { message: { parts: 5 } },
    { message: { messageId: 5, role: 'user', parts: [null] } },
    { message: { messageId: 'x', role: 'user', parts: [{ kind: 'file', file: null }] } },
    { message: { messageId: 'x', role: 'user', parts: [{ kind: 'file' }] } },
    { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ raw: 5 }] } },
    { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ data: null }], metadata: 7 } },
    { message: invoke('echo', { say: 'x' }), configuration: 5 },
    { message: invoke('echo', { say: 'x' }), configuration: { taskPushNotificationConfig: 5 } },
    { message: invoke03('echo', { say: 'x' }), configuration: { pushNotificationConfig: { url: 5 } } },
    { id: null },
    { id: {} },
    { id: ['x'] },
    { id: 'x'.repeat(100_000) },
    { id: 'x', pushNotificationConfigId: {} },
    { taskId: 'x', pushNotificationConfig: null },
    { constructor: 1, __proto__: { polluted: true } },
    { tenant: { a: 1 }, id: 'x' },
  ];
  const METHODS = [
    ...['message/send', 'message/stream', 'tasks/get', 'tasks/cancel', 'tasks/resubscribe'],
    ...['set', 'get', 'list', 'delete'].map((verb) => `tasks/pushNotificationConfig/${verb}`),
    ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'],
    ...['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`),
    ...['ListTaskPushNotificationConfigs', 'GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard', 'toString'],
  ];

  it.each(METHODS)('%s never answers with a fault or anything internal, whatever it is sent', async (method) => {
    for (const params of HOSTILE) {
      const response = await fetch(`${agent.url}/a2a/jsonrpc`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const text = await response.text();
      expect(text, JSON.stringify(params)).not.toMatch(INTERNAL);
      expect(response.status, `${JSON.stringify(params)} ${text}`).toBeLessThan(500);
    }
  });

  it('shows nothing of a fault: neither while the task is tried again nor in its history', async () => {
    const client = rpcClient(agent.url, key, '1.0');
    const { result } = await client.call('SendMessage', {
      message: invoke('build', { thing: 'bomb' }),
      configuration: { returnImmediately: true },
    });
    const read = JSON.stringify(await client.call('GetTask', { id: result.task.id }));
    expect(read).not.toMatch(INTERNAL);
  });
});
