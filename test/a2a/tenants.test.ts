import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';
import { OPERATIONS, wireClients } from './support/wires.ts';
import type { WireClient } from './support/wires.ts';

const WIRES = ['JSON-RPC 1.0', 'JSON-RPC 0.3', 'HTTP+JSON 1.0', 'HTTP+JSON 0.3', 'gRPC 1.0', 'gRPC 0.3'];

let agent: Agent;
let owner: WireClient[];
let stranger: WireClient[];
let reader: WireClient[];
let ownersKey: string;
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS, grpc: true });
  ownersKey = await agent.newKey();
  owner = wireClients(agent, ownersKey);
  stranger = wireClients(agent, await agent.newKey());
  reader = wireClients(agent, await agent.newKey(['tasks:read']));
});
afterAll(() => agent.close());

function on(clients: WireClient[], wire: string): WireClient {
  const client = clients.find(({ name }) => name === wire);
  if (client === undefined) throw new Error(`no wire ${wire}`);
  return client;
}

/** A task that waits, with one webhook. */
async function ownersTask(): Promise<string> {
  const { result } = await rpcClient(agent.url, ownersKey, '1.0').call('SendMessage', {
    message: invoke('paint', {}),
    configuration: { taskPushNotificationConfig: { id: 'mine', url: 'http://127.0.0.1:9/' } },
  });
  return result.task.id;
}

describe.each(WIRES)('over %s', (wire) => {
  it.each(OPERATIONS)(
    '[T5] %s of another organization’s task is refused as that of an unknown one',
    async (operation) => {
      const request = { configId: 'mine', skill: 'paint', input: { colour: 'red' } };
      const taskId = await ownersTask();
      const foreign = await on(stranger, wire).refusal(operation, { ...request, taskId });
      expect(foreign).toMatchObject({ code: 'TASK_NOT_FOUND' });
      expect(foreign).toEqual(await on(stranger, wire).refusal(operation, { ...request, taskId: 'no-such-task' }));
      expect(await on(owner, wire).refusal(operation, { ...request, taskId })).toBeUndefined();
      // A client that leaves a stream is let go of.
      await until(() => agent.openStreams() === 0);
    },
  );

  it('refuses a key without the scope to write what writes, and lets it read', async () => {
    const refused = await on(reader, wire).refusal('send', { skill: 'build', input: { thing: 'x' } });
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    expect(await on(reader, wire).refusal('send', { skill: 'echo', input: { say: 'x' } })).toBeUndefined();
  });
});
