import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import {
  CancelTaskResultV2Schema,
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
  UpdateTaskResultV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeys, createApiKey } from '../../src/directory/api-key/api-key.ts';
import { ensureDemoOrganization } from '../../src/directory/bootstrap.ts';
import type { OrganizationId } from '../../src/platform/organization-id.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { organizationId, taskId } from '../support/ids.ts';
import { orderOf, packageForSale } from '../dialects/support/booking.ts';
import { schemaErrors } from '../dialects/support/public-call.ts';
import { mediaBuyInput, send, taskOf } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { approvalOf, operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { CLIENT_INFO, modernRequest, TAKES_TASKS, VERSION } from './support/modern-request.ts';
import type { ModernAnswer } from './support/modern-request.ts';

const NOBODY_DECLARED = { elicitation: { form: {} } };

interface Task extends Json {
  taskId: string;
  status: string;
  result?: { structuredContent: Json; isError?: boolean; content: { text: string }[] };
  inputRequests?: Record<string, { method: string; params: Json }>;
}

describeOnStores('to a client that takes tasks, with two servers by turns on %s,', (store) => {
  let here: TestAgent;
  let there: TestAgent;
  let line: Json;
  const asked: string[] = [];
  const next = () => {
    const { baseUrl } = asked.length % 2 === 0 ? here : there;
    asked.push(baseUrl);
    return { baseUrl, apiKey: here.apiKey };
  };
  const request = (method: string, params: Json, capabilities?: Json) =>
    modernRequest(next(), method, params, capabilities);

  beforeAll(async () => {
    here = await startTestAgent(store, { working: false, env: { APPROVAL_OVER: 'USD:50000' } });
    const { PUBLIC_URL: _named, ...env } = here.env;
    there = await startTestAgent(store, { working: false, env });
    line = await packageForSale(here);
  });
  afterAll(async () => {
    await there.stop();
    await here.stop();
  });

  const order = (more: Json = {}) => ({ adcp_version: '3.1', ...orderOf(line, more) });
  const calling = (input: Json) => ({ name: 'create_media_buy', arguments: input });

  async function get(id: string, capabilities?: Json): Promise<Task> {
    const { result } = await request('tasks/get', { taskId: id }, capabilities);
    GetTaskResultV2Schema.parse(result);
    return result as Task;
  }

  /** The task that a call answers with. */
  async function taskBegunBy(input: Json): Promise<Task> {
    const { result } = await request('tools/call', calling(input));
    expect(CreateTaskResultV2Schema.parse(result)).toMatchObject({ resultType: 'task', status: 'working' });
    expect(Object.keys(result ?? {}).sort()).toEqual([
      ...['_meta', 'createdAt', 'lastUpdatedAt', 'pollIntervalMs', 'resultType', 'status', 'statusMessage'],
      ...['taskId', 'ttlMs'],
    ]);
    return result as Task;
  }

  it('[D9.tasks] the official requester, unmodified, is given a task, cancels one, and follows another to its result', async () => {
    const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: 'auto' } });
    const options = { requestInit: { headers: { Authorization: `Bearer ${here.apiKey}` } } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${here.baseUrl}/mcp`), options));
    const tasks = createTaskSessionFromClient(client, {
      endpointId: 'agent',
      v2RequestFraming: { protocolVersion: VERSION, clientInfo: CLIENT_INFO, clientCapabilities: {} },
      async rawDispatch(message) {
        const { method, params } = message as unknown as { method: string; params: Json };
        const { result, error } = await modernRequest(next(), method, params, TAKES_TASKS);
        return error === undefined
          ? { kind: 'result', result: result as never }
          : { kind: 'error', error: error as never };
      },
    });
    const before = asked.length;
    const input = order();
    const given = await tasks.callTool('create_media_buy', order());
    const kept = await tasks.callTool('create_media_buy', input);
    if (given.kind !== 'task' || kept.kind !== 'task') throw new Error('nobody works, and yet it is done');
    const seen = await tasks.task(given.handle.taskId).snapshot();
    expect(seen).toMatchObject({ status: 'working', retentionMs: null, suggestedPollIntervalMs: 1_000 });
    await tasks.cancelTask(given.handle.taskId);
    expect(await tasks.task(given.handle.taskId).result()).toMatchObject({ status: 'cancelled' });
    // What is over is over, and that is no fault of who cancels it once more.
    await tasks.task(given.handle.taskId).cancel();

    there.work();
    const { outcome, lastTask } = await kept.settle();
    expect(outcome).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'completed', adcp_version: '3.1' } },
    });
    const { structuredContent: body, content } = (outcome as unknown as { result: NonNullable<Task['result']> }).result;
    expect(schemaErrors('create_media_buy', '3.1', body)).toEqual([]);
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(body);
    expect(lastTask?.retentionMs).toBeGreaterThanOrEqual(30 * 86_400_000);
    // The request once more is the same task, as the first answer said.
    const again = await tasks.callTool('create_media_buy', input);
    expect(again.kind === 'task' && again.handle.taskId).toBe(kept.handle.taskId);
    await tasks.close();
    await client.close();
    expect(new Set(asked.slice(before)).size).toBe(2);
  });

  it('[D9.tasks] [T3] a question of the seller is a form to fill in; the answer goes on with the task, once', async () => {
    there.work();
    const context = { trace: 't-1' };
    const { taskId: id } = await taskBegunBy(order({ packages: [{ ...line, budget: 90_000 }], context }));
    const { approval_id } = await approvalOf(here, id);
    await until(async () => (await get(id))['pollIntervalMs'] === 15_000);
    expect(await get(id)).toMatchObject({ status: 'working', ttlMs: null });
    await operate(here, 'POST', `/approvals/${approval_id}/ask`, { question: 'Which landing page?' });
    const waiting = await until(async () => {
      const task = await get(id);
      return task.status === 'input_required' && task;
    });
    expect(waiting).toMatchObject({ statusMessage: 'Which landing page?', ttlMs: null, pollIntervalMs: 15_000 });
    const [[key, question] = ['']] = Object.entries(waiting.inputRequests ?? {});
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Which landing page?', requestedSchema: { required: ['answer'] } },
    });
    // Who has no person to ask is asked nothing, and told all the same.
    const { elicitation: _none, ...silent } = TAKES_TASKS;
    expect(await get(id, silent)).toMatchObject({ statusMessage: 'Which landing page?', inputRequests: {} });

    const answer = (inputResponses: Json) => request('tasks/update', { taskId: id, inputResponses });
    const filled = (text: unknown) => ({ action: 'accept', content: { answer: text } });
    const messages = async () => (await here.core.store.collection(TaskRuns).get(taskId(id)))?.messages;
    for (const [responses, field] of [
      [{ [key]: filled(7) }, `params.inputResponses.${key}.content.answer`],
      [{ [key]: filled(' ') }, `params.inputResponses.${key}.content.answer`],
      [{ [key]: { action: 'perhaps' } }, `params.inputResponses.${key}.action`],
      [7, 'params.inputResponses'],
    ] as const) {
      const { error } = await answer(responses as Json);
      expect(error).toMatchObject({ code: -32_602, data: { error: { field } } });
    }
    for (const ignored of [{}, { [key]: { action: 'decline' } }, { [key]: { action: 'cancel' } }, { other: 7 }]) {
      expect(UpdateTaskResultV2Schema.parse((await answer(ignored)).result)).toMatchObject({ resultType: 'complete' });
    }
    expect([await messages(), (await get(id)).status]).toEqual([[], 'input_required']);

    const taken = await answer({ [key]: filled('https://acme.example/spring'), other: filled('x') });
    expect(Object.keys(taken.result ?? {}).sort()).toEqual(['_meta', 'resultType']);
    const late = await answer({ [key]: filled('https://acme.example/autumn') });
    expect([late.error, (await messages())?.length]).toEqual([undefined, 1]);
    const back = await until(async () => {
      const { body } = await operate(here, 'GET', `/approvals/${approval_id}`);
      return body['status'] === 'pending' && body;
    });
    expect(back['questions']).toMatchObject([{ answer: [{ text: 'https://acme.example/spring' }] }]);
    await operate(here, 'POST', `/approvals/${approval_id}/approve`, {});
    const done = await until(async () => {
      const task = await get(id);
      return task.status === 'completed' && task;
    });
    expect(done.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'completed', context } });
    expect(done.result?.isError).toBeUndefined();
    expect(schemaErrors('create_media_buy', '3.1', done.result?.structuredContent)).toEqual([]);
    const { error, result } = await request('tasks/cancel', { taskId: id });
    expect([error, CancelTaskResultV2Schema.safeParse(result).success]).toEqual([undefined, true]);
    expect((await get(id)).status).toBe('completed');
  });

  it('[D9.tasks] what the seller refuses has completed with the error that the call would have told', async () => {
    there.work();
    const { taskId: id } = await taskBegunBy(order({ packages: [{ ...line, budget: 90_000 }] }));
    const { approval_id } = await approvalOf(here, id);
    await operate(here, 'POST', `/approvals/${approval_id}/reject`, { reason: 'no crypto' });
    const task = await until(async () => {
      const seen = await get(id);
      return seen.status !== 'working' && seen;
    });
    expect(task).toMatchObject({
      status: 'completed',
      result: { isError: true, structuredContent: { status: 'failed', adcp_error: { code: 'POLICY_VIOLATION' } } },
    });
  });
});

describe('of tasks over MCP,', () => {
  let agent: TestAgent;
  let contract: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false, env: { APPROVAL_OVER_USD: '100' } });
    const { PUBLIC_URL: _named, ...env } = agent.env;
    // Whoever works knows the newest address.
    contract = await startTestAgent('sqlite', { env: { ...env, MCP_TASKS: 'contract' } });
  });
  afterAll(async () => {
    await contract.stop();
    await agent.stop();
  });

  const with_ = (apiKey: string) => ({ baseUrl: agent.baseUrl, apiKey });
  /** As another caller. */
  async function as(organization_id: OrganizationId, scopes: 'tasks:read'[] = []) {
    const keys = agent.core.store.collection(apiKeys);
    const asked = { organization_id, name: 'another', ...(scopes.length > 0 && { scopes }) };
    return with_((await createApiKey({ ...agent.core, keys }, asked)).raw);
  }
  /** A task that waits for a person, begun over A2A in the agent's own words. */
  const waiting = async () => {
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
    await approvalOf(agent, id);
    return id;
  };

  it('[D9.tasks] the extension is named to those who discover it, and nothing of it to clients of 2025', async () => {
    const { result } = await modernRequest(agent, 'server/discover', {}, {});
    expect(result).toMatchObject({ capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } });
    const of2025 = async (method: string, params: Json) => {
      const response = await fetch(`${agent.baseUrl}/mcp`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${agent.apiKey}`, accept: 'application/json, text/event-stream' },
          'content-type': 'application/json',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const text = await response.text();
      return JSON.parse(text.replace(/^[^{]*/, '')) as Pick<ModernAnswer, 'result' | 'error'>;
    };
    const hello = { protocolVersion: '2025-11-25', capabilities: TAKES_TASKS, clientInfo: CLIENT_INFO };
    expect((await of2025('initialize', hello)).result?.['capabilities']).toEqual({ tools: { listChanged: false } });
    const id = await waiting();
    expect((await of2025('tasks/get', { taskId: id })).error?.code).toBe(-32_601);
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': TAKES_TASKS };
    const made = await of2025('tools/call', { name: 'get_task_status', arguments: { task_id: id }, _meta });
    expect(made.result).toMatchObject({ structuredContent: { task_id: id, status: 'working' } });
  });

  it('[D9.tasks] who has not declared it on this request is answered as ever, and refused its methods', async () => {
    const line = { ...(await packageForSale(agent)), budget: 9_000 };
    const call = { name: 'create_media_buy', arguments: { adcp_version: '3.1', ...orderOf(line) } };
    const { result } = await modernRequest(agent, 'tools/call', call, NOBODY_DECLARED);
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'submitted' } });
    const { task_id } = result?.['structuredContent'] as { task_id: string };
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { status, error } = await modernRequest(agent, method, { taskId: task_id }, NOBODY_DECLARED);
      expect([status, error]).toMatchObject([
        400,
        { code: -32_021, data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } } },
      ]);
    }
    expect((await modernRequest(agent, 'tasks/get', { taskId: task_id })).result).toMatchObject({ status: 'working' });
    for (const method of ['tasks/list', 'tasks/result']) {
      expect((await modernRequest(agent, method, { taskId: task_id })).error?.code).toBe(-32_601);
    }
  });

  it('[D9.tasks] [T5] another organization’s task is an unknown one, a credential does what it may, and nobody without one', async () => {
    const id = await waiting();
    const { organization_id } = await ensureDemoOrganization(agent.core);
    const stranger = await as(organizationId('rival'));
    const reader = await as(organization_id, ['tasks:read']);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const [foreign, unknown] = await Promise.all(
        [id, 'none'].map((taskId) => modernRequest(stranger, method, { taskId, inputResponses: {} })),
      );
      expect(foreign?.error).toMatchObject({ code: -32_602, data: { error: { code: 'TASK_NOT_FOUND' } } });
      expect([method, foreign?.text, foreign?.status]).toEqual([method, unknown?.text, unknown?.status]);
      const nobody = await modernRequest(with_(''), method, { taskId: id, inputResponses: {} });
      expect([nobody.status, nobody.error?.data]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }]);
    }
    for (const taskId of [7, '', 'x'.repeat(513), undefined]) {
      const { error } = await modernRequest(agent, 'tasks/get', { taskId });
      expect(error).toMatchObject({ code: -32_602, data: { error: { field: 'params.taskId' } } });
    }
    expect((await modernRequest(reader, 'tasks/get', { taskId: id })).result).toMatchObject({ status: 'working' });
    const { error } = await modernRequest(reader, 'tasks/cancel', { taskId: id });
    expect(error?.data).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect((await modernRequest(agent, 'tasks/cancel', { taskId: id })).error).toBeUndefined();
    expect((await modernRequest(agent, 'tasks/get', { taskId: id })).result).toMatchObject({ status: 'cancelled' });
  });

  it('[D9.tasks] a task is told in the words of the tools that are served, whichever it was asked for in', async () => {
    const id = await waiting();
    const { approval_id } = await approvalOf(agent, id);
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    const resultAt = (at: TestAgent) =>
      until(async () => {
        const { result } = await modernRequest(at, 'tasks/get', { taskId: id });
        return result?.['status'] === 'completed' && (result as unknown as Task).result?.structuredContent;
      });
    const [told, own] = [await resultAt(agent), await resultAt(contract)];
    expect(told).toMatchObject({
      adcp_version: '3.1',
      media_buy_status: 'pending_creatives',
      packages: expect.any(Array) as unknown,
    });
    expect(schemaErrors('create_media_buy', '3.1', told)).toEqual([]);
    expect(own).toMatchObject({ task_id: id, task_type: 'create_media_buy', result: { status: 'pending' } });
    const { result } = await modernRequest(contract, 'tools/call', {
      name: 'create_media_buy',
      arguments: mediaBuyInput(contract),
    });
    expect(CreateTaskResultV2Schema.safeParse(result).success).toBe(true);
  });
});
