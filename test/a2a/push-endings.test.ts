import { afterAll, beforeAll, expect, it } from 'vitest';
import { TaskId } from '../../src/platform/task-id.ts';
import { describeOnStores } from '../support/stores.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { databaseOf } from './support/stores.ts';
import { TASKS } from './support/tasks.ts';
import { wireClients } from './support/wires.ts';

describeOnStores('on %s', (store) => {
  let agent: Agent;
  let key: string;
  beforeAll(async () => {
    // Nobody works, so what is made stays pending.
    agent = await openAgent({ tasks: TASKS, mongodbUrl: databaseOf(store), grpc: true, works: false });
    key = await agent.newKey();
  });
  afterAll(() => agent.close());

  const WIRES = ['JSON-RPC 1.0', 'JSON-RPC 0.3', 'HTTP+JSON 1.0', 'HTTP+JSON 0.3', 'gRPC 1.0', 'gRPC 0.3'];

  const begin = async () => {
    const configuration = { returnImmediately: true };
    const { result } = await rpcClient(agent.url, key, '1.0').call('SendMessage', {
      message: invoke('wait', {}),
      configuration,
    });
    return result.task.id;
  };

  const states = async (task_id: string) => {
    const { rows } = await agent.deliveries.find({ where: { task_id } });
    return rows.map(({ url, state }) => [new URL(url).pathname, state]).sort();
  };

  it.each(WIRES)('[W6.ended] a push config deleted over %s ends what is pending for it', async (name) => {
    const wire = wireClients(agent, key).find((one) => one.name === name);
    const taskId = await begin();
    const granted = async (operation: 'createConfig' | 'cancel' | 'deleteConfig', request: object) => {
      expect(await wire?.refusal(operation, { taskId, ...request })).toBeUndefined();
    };
    await granted('createConfig', { configId: 'one' });
    await granted('createConfig', { configId: 'two' });
    await granted('cancel', {});
    expect(await states(taskId)).toEqual([
      ['/hook', 'pending'],
      ['/hook', 'pending'],
    ]);
    await granted('deleteConfig', { configId: 'one' });
    const { rows } = await agent.deliveries.find({ where: { task_id: taskId } });
    expect(rows.map(({ registration_id, state }) => [registration_id, state]).sort()).toEqual([
      ['one', 'ended'],
      ['two', 'pending'],
    ]);
    expect(await agent.runs.get(TaskId.parse(taskId))).toMatchObject({ endings: [], notify_due_at: null });
  });

  it('[W6.ended] [C.events.8] a change of its URL is no end: what is made goes on to the old one', async () => {
    const { call } = rpcClient(agent.url, key, '1.0');
    const taskId = await begin();
    const create = (path: string) =>
      call('CreateTaskPushNotificationConfig', { taskId, id: 'one', url: `http://127.0.0.1:9${path}` });
    await create('/old');
    await call('CancelTask', { id: taskId });
    await create('/new');
    expect(await states(taskId)).toEqual([['/old', 'pending']]);
  });
});
