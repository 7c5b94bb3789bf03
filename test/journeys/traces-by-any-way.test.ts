import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { pino } from 'pino';

import { until } from '../support/until.ts';
import { freePort } from '../support/free-port.ts';
import { SHARED_SECRET, wireClients } from '../a2a/support/wires.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { KIND, openCollector } from './support/collector.ts';
import type { Collector } from './support/collector.ts';
import { approvalOf, operate } from './support/operator.ts';
import { TIMEOUT_MS } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent, TestAgentOptions } from './support/test-agent.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function open(
  endpoint: string,
  options: TestAgentOptions = {},
): Promise<{ agent: TestAgent; receiver: Receiver }> {
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...options.env };
  const agent = await startTestAgent('sqlite', { ...options, env });
  cleanUp.push(() => agent.stop());
  return { agent, receiver };
}

async function traced(
  options?: TestAgentOptions,
): Promise<{ agent: TestAgent; receiver: Receiver; collector: Collector }> {
  const collector = await openCollector();
  cleanUp.push(() => collector.close());
  return { ...(await open(collector.endpoint, options)), collector };
}

const brief = { skill: 'get_products', input: { brief: 'ctv' } };

it(
  'a call over each wire of A2A begins a trace that says which it was, and its task goes on in it',
  async () => {
    const GRPC_PORT = String(await freePort());
    const { agent, collector } = await traced({ env: { GRPC_PORT } });
    const wires = wireClients({ url: agent.baseUrl, grpcAddress: `127.0.0.1:${GRPC_PORT}` }, agent.apiKey);
    for (const wire of wires) expect(await wire.refusal('send', brief)).toBeUndefined();
    const calls = await collector.told('a2a SendMessage', wires.length);
    await collector.told('task submit', wires.length);
    const said = calls.map(({ facts }) => `${String(facts['a2a.binding'])} ${String(facts['a2a.wire'])}`);
    expect(said.toSorted()).toEqual(
      ['JSONRPC', 'HTTP+JSON', 'GRPC'].flatMap((binding) => [`${binding} 0.3`, `${binding} 1.0`]).toSorted(),
    );
    expect(new Set(calls.map(({ traceId }) => traceId)).size).toBe(wires.length);
    for (const call of calls) {
      expect([call.kind, call.parentSpanId ?? '', call.links]).toEqual([KIND.server, '', []]);
      const submits = collector
        .spans()
        .filter(({ name, traceId }) => name === 'task submit' && traceId === call.traceId);
      expect(submits.map(({ parentSpanId }) => parentSpanId)).toEqual([call.spanId]);
    }
  },
  TIMEOUT_MS,
);

it(
  'a tool called over MCP begins one, too',
  async () => {
    const { agent, collector } = await traced();
    const response = await fetch(`${agent.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${agent.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'get_products', arguments: { brief: 'ctv', buying_mode: 'brief' } },
      }),
    });
    expect([response.status, (await response.text()).includes('products')]).toEqual([200, true]);
    const [call] = await collector.told('mcp tools/call');
    expect(call).toMatchObject({ kind: KIND.server, facts: { 'rpc.system': 'mcp', 'mcp.tool': 'get_products' } });
    const [submit] = await collector.told('task submit');
    expect([submit?.traceId, submit?.parentSpanId]).toEqual([call?.traceId, call?.spanId]);
  },
  TIMEOUT_MS,
);

it(
  'what cancels a task and what an operator asks are traces of their own, to which what the task then does is linked',
  async () => {
    const { agent, receiver, collector } = await traced({ env: { APPROVAL_OVER_USD: '100' } });
    const push_notification_config = { url: receiver.url(), operation_id: 'op' };
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    const { approval_id } = await approvalOf(agent, id);
    await operate(agent, 'GET', `/approvals/${approval_id}`);
    const [show] = await collector.told('operator GET /approvals/:approval_id');
    expect(show).toMatchObject({
      kind: KIND.server,
      facts: { 'http.request.method': 'GET', 'http.route': '/approvals/:approval_id' },
    });
    const refusal = await operate(agent, 'POST', `/approvals/${approval_id}/reject`, {});
    const [refused] = await collector.told('operator POST /approvals/:approval_id/reject');
    expect(refused?.facts).toMatchObject({ action: 'approvals.reject', 'error.type': refusal.body.error?.code });

    const cancel = (task: string) => post(agent, { jsonrpc: '2.0', id: 1, method: 'CancelTask', params: { id: task } });
    expect(taskOf(await cancel(id)).state).toBe('TASK_STATE_CANCELED');
    expect((await cancel('of nobody')).error?.code).toBe(-32001);
    const [done, unknown] = await collector.told('a2a CancelTask', 2);
    const wire = { 'a2a.wire': '1.0', 'a2a.binding': 'JSONRPC' };
    expect(done).toMatchObject({ kind: KIND.server, facts: { ...wire, task_id: id } });
    expect([unknown?.facts['task_id'], typeof unknown?.facts['error.type']]).toEqual([undefined, 'string']);
    const [call] = await collector.told('a2a SendMessage');
    const told = await until(() =>
      collector.spans().find(({ name, facts }) => name === 'webhook create' && facts['event'] === 'canceled'),
    );
    expect([told.traceId, told.links.map(({ traceId }) => traceId)]).toEqual([call?.traceId, [done?.traceId]]);
    const spans = collector.spans().filter(({ name }) => /^(operator|a2a)/.test(name));
    expect(JSON.stringify(spans)).not.toContain('of nobody');
  },
  TIMEOUT_MS,
);

it(
  'a header that names no trace is passed over, trusted or not',
  async () => {
    const { agent, collector } = await traced({ env: { TRUST_TRACE: 'true' }, working: false });
    const headers = [
      ...['nonsense', '', '00-00000000000000000000000000000000-b7ad6b7169203331-01'],
      ...['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', '00-0AF7651916CD43DD8448EB211C80319C-x-01'],
      `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01${'-00'.repeat(2_000)}`,
    ];
    for (const traceparent of headers) {
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: brief }] };
      const answer = await post(
        agent,
        { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
        { traceparent },
      );
      expect([answer.status, answer.error]).toEqual([200, undefined]);
    }
    const calls = await collector.told('a2a SendMessage', headers.length);
    for (const { parentSpanId = '', links, traceId } of calls)
      expect([parentSpanId, links, /^(?!0{32})[0-9a-f]{32}$/.test(traceId)]).toEqual(['', [], true]);
    expect(new Set(calls.map(({ traceId }) => traceId)).size).toBe(headers.length);
  },
  TIMEOUT_MS,
);

it(
  'a webhook by HMAC bears the header, which its signature does not cover',
  async () => {
    const { agent, receiver, collector } = await traced();
    const authentication = { schemes: ['HMAC-SHA256'], credentials: SHARED_SECRET };
    const push_notification_config = { url: receiver.url(), operation_id: 'op', authentication };
    taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    await receiver.arrived(2);
    const attempts = await collector.told('webhook attempt', 2);
    const shown = attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
    for (const { headers, rawBody } of receiver.received) {
      expect(shown).toContain(headers['traceparent']);
      const signed = `${String(headers['x-proto-timestamp'])}.${rawBody.toString()}`;
      const mac = createHmac('sha256', SHARED_SECRET).update(signed).digest('hex');
      expect(headers['x-proto-signature']).toBe(`sha256=${mac}`);
    }
  },
  TIMEOUT_MS,
);

it(
  'a collector that is away holds nothing up, and is told of in one line for each reason, not for each span',
  async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const { agent, receiver } = await open(endpoint, { log });
    const push_notification_config = { url: receiver.url(), operation_id: 'op' };
    const count = 5;
    for (let n = 0; n < count; n++)
      taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    await receiver.arrived(2 * count);
    const told = () =>
      lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ event }) => event === 'traces_lost');
    await until(() => told().length > 0, TIMEOUT_MS);
    taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    await receiver.arrived(2 * count + 2);
    // What is left is sent then.
    await cleanUp.pop()?.();
    const reasons = told().map(({ reason }) => String(reason));
    expect(reasons[0]).toContain('ECONNREFUSED');
    expect(new Set(reasons).size).toBe(reasons.length);
  },
  TIMEOUT_MS,
);
