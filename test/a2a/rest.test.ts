import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke } from './support/rpc.ts';
import type { WireTask } from './support/rpc.ts';
import { allEvents } from './support/sse.ts';
import { TASKS } from './support/tasks.ts';

let agent: Agent;
let key: string;

beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS });
  key = await agent.newKey();
});
afterAll(() => agent.close());

async function rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${agent.url}/a2a/rest${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    response,
    json: () => response.json(),
  };
}

async function begin(skill: string, input: object): Promise<WireTask> {
  const configuration = { returnImmediately: true };
  const answer = await rest('POST', '/message:send', { message: invoke(skill, input), configuration });
  return ((await answer.json()) as { task: WireTask }).task;
}

/** Details that begin by this reason; the error body follows, and what is wrong at which place. */
const told = (reason: string) => expect.arrayContaining([expect.objectContaining({ reason })]) as unknown;

describe('A2A 1.0 over HTTP+JSON', () => {
  it('serves each operation at its place', async () => {
    const task = await begin('wait', {});
    const at = `/tasks/${task.id}`;
    expect(await (await rest('GET', at)).json()).toMatchObject({ id: task.id });
    expect(await (await rest('GET', `/tasks?contextId=${task.contextId}`)).json()).toMatchObject({ totalSize: 1 });
    const config = { id: 'one', url: 'http://127.0.0.1:9/' };
    expect((await rest('POST', `${at}/pushNotificationConfigs`, config)).status).toBe(200);
    expect(await (await rest('GET', `${at}/pushNotificationConfigs/one`)).json()).toMatchObject(config);
    const deleted = await rest('DELETE', `${at}/pushNotificationConfigs/one`);
    expect([deleted.status, await deleted.json()]).toEqual([200, {}]);
    expect(await (await rest('POST', `${at}:cancel`)).json()).toMatchObject({
      status: { state: 'TASK_STATE_CANCELED' },
    });
    expect(await (await rest('GET', '/extendedAgentCard')).json()).toMatchObject({ skills: [{}, {}, {}, {}] });
  });

  it('streams, and subscribes', async () => {
    const sent = await rest('POST', '/message:stream', { message: invoke('build', { thing: 'house' }) });
    expect((await allEvents(sent.response)).at(-1)?.data).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
    const task = await begin('wait', {});
    const following = rest('POST', `/tasks/${task.id}:subscribe`).then(({ response }) => allEvents(response));
    await rest('POST', `/tasks/${task.id}:cancel`);
    expect((await following).length).toBeGreaterThan(0);
  });

  it.each([
    ['GET', '/tasks/no-such-task', undefined, 404, 'TASK_NOT_FOUND'],
    ['POST', '/message:send', { message: invoke('echo', { say: 5 }) }, 422, 'INVALID_PARAMS'],
    ['POST', '/message:send', { message: invoke('build', { thing: 'nothing' }) }, 404, 'INVALID_PARAMS'],
    ['POST', '/message:send', {}, 400, 'INVALID_PARAMS'],
    ['POST', '/message:send', '{"message":', 400, 'PARSE_ERROR'],
    ['POST', '/message:send', '{"message": 5}', 400, 'INVALID_PARAMS'],
    ['GET', '/tasks?pageSize=many', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/tasks/x?historyLength=-1', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/no/such/operation/at/all', undefined, 404, 'METHOD_NOT_FOUND'],
  ])(
    '[B12] [C.errors.parameters] [C.errors.schema] [C.errors.unknown] answers %s %s with %j by status and reason',
    async (method, path, body, status, reason) => {
      const answer = await rest(method, path, body);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(await answer.json()).toMatchObject({ error: { code: status, details: told(reason) } });
    },
  );

  it('answers what is too large, of a wrong type, of an unknown version or unauthenticated in its own form', async () => {
    const large = await rest('POST', '/message:send', `"${'x'.repeat(1_048_576)}"`);
    const typed = await rest('POST', '/message:send', '{}', { 'Content-Type': 'text/plain' });
    const versioned = await rest('GET', '/tasks', undefined, { 'A2A-Version': '99.0' });
    const anonymous = await rest('GET', '/tasks', undefined, { Authorization: '' });
    expect([large, typed, versioned, anonymous].map(({ status }) => status)).toEqual([413, 400, 400, 401]);
    expect(anonymous.headers.get('www-authenticate')).toContain('Bearer');
    expect(await versioned.json()).toMatchObject({ error: { details: told('VERSION_NOT_SUPPORTED') } });
  });

  it('refuses to cancel what is over with 400, as A2A 1.0.1 has it, in words that clients know', async () => {
    const task = await begin('echo', { say: 'x' });
    const answer = await rest('POST', `/tasks/${task.id}:cancel`);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error).toMatchObject({ status: 'FAILED_PRECONDITION', details: told('TASK_NOT_CANCELABLE') });
    expect(error.message).toMatch(/^Task cannot be canceled: /);
  });

  it.each([
    ['PUT', '/message:send', 'POST'],
    ['DELETE', '/tasks', 'GET'],
    ['POST', '/tasks/x', 'GET'],
    ['GET', '/tasks/x:cancel', 'POST'],
    ['PUT', '/tasks/x/pushNotificationConfigs', 'GET, POST'],
    ['POST', '/tasks/x/pushNotificationConfigs/y', 'GET, DELETE'],
    ['PATCH', '/v1/tasks/x', 'GET'],
  ])('answers %s %s with 405, and says that %s is meant', async (method, path, allow) => {
    const answer = await rest(method, path, method === 'GET' ? undefined : {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(JSON.stringify(await answer.json())).toContain(`Method not found: ${method} is no method of this place`);
  });
});

describe('A2A 0.3 over HTTP+JSON', () => {
  it('is served below /v1 without a version header', async () => {
    const message = {
      messageId: crypto.randomUUID(),
      role: 'ROLE_USER',
      content: [{ data: { data: { skill: 'echo', input: { say: 'x' } } } }],
    };
    const answer = await rest('POST', '/v1/message:send', { request: message });
    expect(answer.status).toBe(200);
    const { task } = (await answer.json()) as { task: WireTask };
    expect(await (await rest('GET', `/v1/tasks/${task.id}`)).json()).toMatchObject({ id: task.id });
  });

  it('[B12] answers errors bare, with the whole error body as data', async () => {
    const answer = await rest('GET', '/v1/tasks/no-such-task');
    expect(answer.status).toBe(404);
    const body = (await answer.json()) as { message: string };
    expect(body).toMatchObject({ code: -32001, data: { error: { code: 'TASK_NOT_FOUND' } } });
    expect(body.message).toBe('Task not found: no task of yours has this id');
  });
});
