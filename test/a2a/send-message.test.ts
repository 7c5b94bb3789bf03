import { afterAll, beforeAll, expect, it } from 'vitest';
import { TaskId } from '../../src/platform/task-id.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { until } from '../support/until.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import { databaseOf } from './support/stores.ts';
import { describeOnStores } from '../support/stores.ts';
import { TASKS } from './support/tasks.ts';

describeOnStores('over %s', (store) => {
  const mongodbUrl = databaseOf(store);
  let agent: Agent;
  let modern: ReturnType<typeof rpcClient>;
  let legacy: ReturnType<typeof rpcClient>;
  let key: string;

  beforeAll(async () => {
    agent = await openAgent({ tasks: TASKS, mongodbUrl });
    key = await agent.newKey();
    modern = rpcClient(agent.url, key, '1.0');
    legacy = rpcClient(agent.url, key);
  });
  afterAll(() => agent.close());

  async function row(task_id: string): Promise<TaskRun> {
    const run = await agent.runs.get(task_id);
    if (run === undefined) throw new Error(`no task ${task_id}`);
    return run;
  }

  it('answers an inline task at once, its response in the last data part of the first artifact', async () => {
    const { result } = await modern.call('SendMessage', { message: invoke('echo', { say: 'hi' }) });
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(result.task.artifacts[0]?.parts).toEqual([{ text: 'you said hi' }, { data: { said: 'hi' } }]);
    expect(result.task.metadata).toEqual({ skill: 'echo' });
  });

  it('answers 0.3 with a bare task of that generation', async () => {
    const { result } = await legacy.call('message/send', { message: invoke03('echo', { say: 'hi' }) });
    expect(result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect(result.artifacts[0]?.parts.at(-1)).toEqual({ kind: 'data', data: { said: 'hi' } });
  });

  it('serves a 1.0 method without a version header as 1.0', async () => {
    const { result } = await legacy.call('SendMessage', { message: invoke('echo', { say: 'hi' }) });
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('[T2] waits for the end in 1.0 by default, and in 0.3 when asked to block', async () => {
    const { result } = await modern.call('SendMessage', { message: invoke('build', { thing: 'house' }) });
    expect(result.task.status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [{ text: 'the house stands' }] },
    });
    expect(result.task.artifacts[0]?.parts[1]).toEqual({ data: { built: 'house' } });
    const blocking = await legacy.call('message/send', {
      message: invoke03('build', { thing: 'hut' }),
      configuration: { blocking: true },
    });
    expect(blocking.result.status.state).toBe('completed');
  });

  it('[T2] answers submitted at once in 0.3 by default, and in 1.0 when asked to', async () => {
    const first = await legacy.call('message/send', { message: invoke03('wait', {}) });
    expect(first.result.status.state).toBe('submitted');
    const second = await modern.call('SendMessage', {
      message: invoke('wait', {}),
      configuration: { returnImmediately: true },
    });
    expect(second.result.task.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it('answers a wait that is too long with the task as it stands', async () => {
    const patient = await openAgent({ tasks: TASKS, mongodbUrl, options: { limits: { waitCapMs: 50 } } });
    const client = rpcClient(patient.url, await patient.newKey(), '1.0');
    const { result } = await client.call('SendMessage', { message: invoke('wait', {}) });
    expect(result.task.status.state).toBe('TASK_STATE_SUBMITTED');
    await patient.close();
  });

  it('[T4] reads a task back, with as much history as is asked for', async () => {
    const message = invoke('echo', { say: 'again' });
    const { result } = await modern.call('SendMessage', { message });
    const read = async (params: object) => (await modern.call('GetTask', { id: result.task.id, ...params })).result;
    expect((await read({})).history).toEqual([
      { ...message, taskId: result.task.id, contextId: result.task.contextId },
    ]);
    expect((await read({ historyLength: 0 })).history).toBeUndefined();
    const old = (await legacy.call('tasks/get', { id: result.task.id })).result;
    expect(old.history[0]).toMatchObject({ kind: 'message', role: 'user', parts: [{ kind: 'data' }] });
  });

  it('[T6] takes a repeated message for the same task, from the client that sent it', async () => {
    const message = invoke('build', { thing: 'barn' });
    const first = await modern.call('SendMessage', { message });
    const second = await modern.call('SendMessage', { message });
    expect(second.result.task.id).toBe(first.result.task.id);
    expect(second.result.task.metadata).toMatchObject({ replayed: true });
    const { organization_id } = await row(first.result.task.id);
    const other = rpcClient(agent.url, await agent.newKey(undefined, organization_id), '1.0');
    const third = await other.call('SendMessage', { message });
    expect(third.result.task.id).not.toBe(first.result.task.id);
    expect((await row(third.result.task.id)).organization_id).toBe(organization_id);
  });

  it.each([
    ['other parts', { parts: [{ data: { skill: 'build', input: { thing: 'mill' } } }] }],
    ['another context', { contextId: 'another' }],
  ])('[T6] takes a messageId used again with %s for another message', async (_what, other) => {
    const message = invoke('build', { thing: 'barn' });
    const first = await modern.call('SendMessage', { message });
    const second = await modern.call('SendMessage', { message: { ...message, ...other } });
    expect(second.result.task.id).not.toBe(first.result.task.id);
    expect(second.result.task.metadata).not.toHaveProperty('replayed');
  });

  it('[T6] takes a message for another one a day after it, unless its task is still open', async () => {
    const send = async (message: object) => {
      const configuration = { returnImmediately: true };
      return (await modern.call('SendMessage', { message, configuration })).result.task.id;
    };
    const [over, open] = [invoke('build', { thing: 'barn' }), invoke('wait', {})];
    const [first, waiting] = [await send(over), await send(open)];
    await until(async () => (await row(first)).state === 'completed');
    const longAgo = new Date(Date.now() - 24 * 3_600_000 - 1).toISOString();
    for (const id of [first, waiting]) {
      await agent.runs.update(TaskId.parse(id), (stored) => ({ ...stored, created_at: longAgo }));
    }
    const [again, stillWaiting] = [await send(over), await send(open)];
    expect(again).not.toBe(first);
    expect(stillWaiting).toBe(waiting);
    expect(await send(over)).toBe(again);
  });

  it('[T6] takes an answer whose messageId was used in the task before for an answer, and takes it once', async () => {
    const question = { ...invoke('paint', {}), messageId: '1' };
    const asked = (await modern.call('SendMessage', { message: question })).result.task;
    const answer = { ...invoke('paint', { colour: 'red' }), messageId: '1', taskId: asked.id };
    const done = (await modern.call('SendMessage', { message: answer })).result.task;
    expect(done).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_COMPLETED' } });
    const again = (await modern.call('SendMessage', { message: answer })).result.task;
    expect(again.history).toHaveLength(done.history.length);
    expect((await modern.call('SendMessage', { message: question })).result.task.id).toBe(asked.id);
  });

  it('[B7] answers a repeated idempotency key with the same response, marked as replayed', async () => {
    const input = { thing: 'mill', idempotency_key: 'one-and-the-same-key' };
    const first = await modern.call('SendMessage', { message: invoke('build', input) });
    const second = await modern.call('SendMessage', { message: invoke('build', input) });
    expect(second.result.task.id).toBe(first.result.task.id);
    expect(second.result.task.artifacts[0]?.parts[1]?.data).toEqual({ built: 'mill', replayed: true });
  });

  it('goes on with a task that waits for its caller, and shows the conversation', async () => {
    const asked = (await modern.call('SendMessage', { message: invoke('paint', {}) })).result.task;
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message.parts).toEqual([{ text: 'which colour?' }, { data: { reason: 'no colour' } }]);
    const answer = { ...invoke('paint', { colour: 'red' }), taskId: asked.id, contextId: asked.contextId };
    const done = (await modern.call('SendMessage', { message: answer })).result.task;
    expect(done).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(done.history.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
  });

  it('[B12] shows the error of a failed task in the last data part of its artifact', async () => {
    const { result } = await modern.call('SendMessage', { message: invoke('build', { thing: 'tower' }) });
    expect(result.task.status.state).toBe('TASK_STATE_FAILED');
    expect(result.task.artifacts[0]?.parts.at(-1)?.data).toEqual({
      error: {
        code: 'AD_SERVER_REJECTED',
        message: 'the ground is too soft',
        field: 'thing',
        recovery: 'correctable',
      },
    });
  });
});
