import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import type { WireTask } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';

let agent: Agent;
let modern: ReturnType<typeof rpcClient>;
let legacy: ReturnType<typeof rpcClient>;

beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS });
});
afterAll(() => agent.close());

async function newOrganization() {
  const key = await agent.newKey();
  modern = rpcClient(agent.url, key, '1.0');
  legacy = rpcClient(agent.url, key);
}

async function begin(skill: string, more: object = {}): Promise<WireTask> {
  const { result } = await modern.call('SendMessage', {
    message: { ...invoke(skill, {}), ...more },
    configuration: { returnImmediately: true },
  });
  return result.task;
}

interface Listed {
  tasks: WireTask[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

async function list(params: object): Promise<Listed> {
  return (await modern.call('ListTasks', params)).result as unknown as Listed;
}

describe('ListTasks', () => {
  it('[T4] lists the caller’s own tasks, the one whose status changed last first, page by page', async () => {
    await newOrganization();
    const tasks = [await begin('wait'), await begin('wait'), await begin('wait')];
    await modern.call('CancelTask', { id: tasks[0]?.id });
    const first = await list({ pageSize: 2 });
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual([tasks[0]?.id, tasks[2]?.id, tasks[1]?.id]);
    expect(second.nextPageToken).toBe('');
  });

  it('filters by state, context and time, and leaves artifacts out unless asked', async () => {
    await newOrganization();
    const waiting = await begin('wait', { contextId: 'one' });
    await modern.call('SendMessage', { message: { ...invoke('echo', { say: 'x' }), contextId: 'two' } });
    const ids = async (params: object) => (await list(params)).tasks.map(({ id }) => id);
    expect(await ids({ status: 'TASK_STATE_SUBMITTED' })).toEqual([waiting.id]);
    expect(await ids({ contextId: 'one' })).toEqual([waiting.id]);
    expect(await ids({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await ids({ statusTimestampAfter: waiting.status.timestamp })).toContain(waiting.id);
    expect((await list({ contextId: 'two' })).tasks[0]).not.toHaveProperty('artifacts');
    expect((await list({ contextId: 'two', includeArtifacts: true })).tasks[0]?.artifacts).toHaveLength(1);
  });

  it.each([
    [{ pageSize: 0 }, 'pageSize'],
    [{ pageSize: 101 }, 'pageSize'],
    [{ status: 'TASK_STATE_HAPPY' }, 'status'],
    [{ statusTimestampAfter: '-1' }, 'statusTimestampAfter'],
    [{ statusTimestampAfter: '2026-01-01' }, 'statusTimestampAfter'],
    [{ pageToken: 'no-such-token' }, 'pageToken'],
    [{ historyLength: -1 }, 'historyLength'],
  ])('refuses %j', async (params, field) => {
    const { error } = await modern.call('ListTasks', params);
    expect(error).toMatchObject({ code: -32602, data: [{ metadata: { field } }, {}] });
  });

  it('[T8] leaves out tasks that only read, and counts none, unless their context is named', async () => {
    await newOrganization();
    const say = async (wire: typeof modern, message: object) => wire.call('SendMessage', { message });
    const waiting = [await begin('wait'), await begin('wait', { contextId: 'one' }), await begin('wait')];
    for (const contextId of ['one', 'one', 'two']) await say(modern, { ...invoke('echo', { say: 'x' }), contextId });
    await legacy.call('message/send', { message: { ...invoke03('echo', { say: 'x' }), contextId: 'one' } });
    const first = await list({ pageSize: 2 });
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(waiting.map(({ id }) => id).reverse());
    expect([first.totalSize, second.nextPageToken]).toEqual([3, '']);
    const one = await list({ contextId: 'one' });
    expect(one.totalSize).toBe(4);
    expect(one.tasks.map(({ metadata }) => metadata['skill']).sort()).toEqual(['echo', 'echo', 'echo', 'wait']);
  });

  it('[T8] leaves out a conversation that turned into one that only reads', async () => {
    await newOrganization();
    const asked = await modern.call('SendMessage', { message: { ...invoke('', {}), parts: [{ text: 'hm' }] } });
    const { id: taskId } = asked.result.task;
    expect((await list({})).tasks.map(({ id }) => id)).toEqual([taskId]);
    await modern.call('SendMessage', { message: { ...invoke('echo', { say: 'x' }), taskId } });
    expect(await list({})).toMatchObject({ tasks: [], totalSize: 0 });
    expect((await modern.call('GetTask', { id: taskId })).result.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('[T5] shows nothing of another organization', async () => {
    await newOrganization();
    await begin('wait', { contextId: 'shared name' });
    await newOrganization();
    expect(await list({ contextId: 'shared name' })).toMatchObject({ tasks: [], totalSize: 0 });
  });
});

describe('push notification configurations', () => {
  const config = { id: 'mine', url: 'http://127.0.0.1:9/hook', token: 'secret-token' };

  it('[W5] are created, read, listed and deleted while the task runs; deleting twice changes nothing', async () => {
    await newOrganization();
    const task = await begin('wait');
    const created = await modern.call('CreateTaskPushNotificationConfig', { taskId: task.id, ...config });
    expect(created.result).toEqual({ id: 'mine', taskId: task.id, url: config.url });
    await modern.call('CreateTaskPushNotificationConfig', { taskId: task.id, url: 'http://127.0.0.1:9/other' });
    const listed = await modern.call('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(listed.result).toMatchObject({ configs: [{ id: 'mine' }, { url: 'http://127.0.0.1:9/other' }] });
    const params = { taskId: task.id, id: 'mine' };
    expect((await modern.call('GetTaskPushNotificationConfig', params)).result).toMatchObject({ id: 'mine' });
    for (let times = 0; times < 2; times++) {
      expect(await modern.call('DeleteTaskPushNotificationConfig', params)).toMatchObject({ result: null });
    }
    expect(await modern.call('GetTaskPushNotificationConfig', params)).toMatchObject({ error: { code: -32001 } });
  });

  it('[W5] are set in 0.3, where a get without an id answers the first', async () => {
    await newOrganization();
    const task = await begin('wait');
    const pushNotificationConfig = {
      url: config.url,
      token: 'x',
      authentication: { schemes: ['Bearer', 'HMAC-SHA256'], credentials: 'a'.repeat(31) + 'b' },
    };
    const set = await legacy.call('tasks/pushNotificationConfig/set', { taskId: task.id, pushNotificationConfig });
    expect(set.result).toMatchObject({
      taskId: task.id,
      pushNotificationConfig: { url: config.url, authentication: { schemes: ['HMAC-SHA256'] } },
    });
    const got = await legacy.call('tasks/pushNotificationConfig/get', { id: task.id });
    expect(got.result).toEqual(set.result);
  });

  it('[W4] never give a secret back', async () => {
    await newOrganization();
    const task = await begin('wait');
    const credentials = 'a secret that nobody may see again';
    const authentication = { scheme: 'HMAC-SHA256', credentials };
    const params = { taskId: task.id, ...config, authentication };
    const answers = [
      await modern.call('CreateTaskPushNotificationConfig', params),
      await modern.call('GetTaskPushNotificationConfig', { taskId: task.id, id: 'mine' }),
      await modern.call('ListTaskPushNotificationConfigs', { taskId: task.id }),
      await modern.call('GetTask', { id: task.id }),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/nobody may see|secret-token/);
  });

  it('[W3.configuration] of a client that sends one with every request are left alone by a task that is answered at once', async () => {
    await newOrganization();
    const message = invoke('echo', { say: 'x' });
    const configuration = { taskPushNotificationConfig: { ...config, url: 'no address at all' } };
    const { task } = (await modern.call('SendMessage', { message, configuration })).result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const listed = await modern.call('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(listed.result).toEqual({});
    const said = await legacy.call('message/send', {
      message: invoke03('echo', { say: 'x' }),
      configuration: { pushNotificationConfig: { url: config.url } },
    });
    expect(said.result.status.state).toBe('completed');
  });

  it('[T5] of another organization’s task look like those of an unknown task', async () => {
    await newOrganization();
    const task = await begin('wait');
    await newOrganization();
    const methods = ['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`);
    for (const method of [...methods, 'ListTaskPushNotificationConfigs', 'SubscribeToTask']) {
      const about = (taskId: string) =>
        modern.call(method, { id: method === 'SubscribeToTask' ? taskId : 'mine', taskId, url: config.url });
      const foreign = await about(task.id);
      expect(foreign.error.code).toBe(-32001);
      expect(foreign).toEqual(await about('no-such-task'));
    }
  });
});

describe('messages that name no skill', () => {
  it('are answered with the list of skills, and go on as the skill that the next message names', async () => {
    await newOrganization();
    const text = { ...invoke('', {}), parts: [{ text: 'What can you do?' }] };
    const asked = (await modern.call('SendMessage', { message: text })).result.task;
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message.parts[1]?.data).toMatchObject({ skills: [{ skill: 'echo' }, {}, {}, {}] });
    const answer = { ...invoke('build', { thing: 'house' }), taskId: asked.id };
    const built = (await modern.call('SendMessage', { message: answer })).result.task;
    expect(built).toMatchObject({
      id: asked.id,
      status: { state: 'TASK_STATE_COMPLETED' },
      metadata: { skill: 'build' },
    });
    expect(built.history.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
    const again = (await modern.call('SendMessage', { message: text })).result.task;
    expect(again.id).toBe(asked.id);
  });

  it('take an inline skill as well as a queued one, and refuse what that skill refuses', async () => {
    await newOrganization();
    const message = { ...invoke03('', {}), parts: [{ kind: 'text', text: 'hm' }] };
    const asked = (await legacy.call('message/send', { message })).result;
    expect(asked.status.state).toBe('input-required');
    const wrong = await legacy.call('message/send', { message: { ...invoke03('echo', {}), taskId: asked.id } });
    expect(wrong.error.data.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'say' });
    const { result } = await legacy.call('message/send', {
      message: { ...invoke03('echo', { say: 'x' }), taskId: asked.id },
    });
    expect(result).toMatchObject({ id: asked.id, status: { state: 'completed' } });
  });
});
