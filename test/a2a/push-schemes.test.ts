import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { TASKS } from './support/tasks.ts';
import { wireClients } from './support/wires.ts';
import type { WireClient } from './support/wires.ts';

const WIRES = ['JSON-RPC 0.3', 'HTTP+JSON 0.3', 'gRPC 0.3'];

let agent: Agent;
let clients: WireClient[];
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS, grpc: true });
  clients = wireClients(agent, await agent.newKey());
});
afterAll(() => agent.close());

function clientOf(wire: string): WireClient {
  const client = clients.find(({ name }) => name === wire);
  if (client === undefined) throw new Error(`no client of ${wire}`);
  return client;
}

async function allRuns(): Promise<TaskRun[]> {
  return (await agent.runs.find({ where: {}, limit: 1000 })).rows;
}

describe.each(WIRES)('a receiver that lists several schemes over %s', (wire) => {
  it.each([
    [['Basic', 'Bearer'], 'bearer', 'Bearer'],
    [['Basic', 'hmac-sha256'], 'hmac-sha256', 'hmac-sha256'],
    [['Bearer', 'Basic', 'HMAC-SHA256'], 'hmac-sha256', 'HMAC-SHA256'],
  ])('[W4] [W5] of %j gets the strongest that is known here, wherever it stands', async (schemes, mode, scheme) => {
    const client = clientOf(wire);
    const before = (await allRuns()).map(({ task_id }) => task_id);
    expect(await client.refusal('send', { skill: 'wait', input: {}, schemes })).toBeUndefined();
    const [run] = (await allRuns()).filter(({ task_id }) => !before.includes(task_id));
    const registered = { mode, scheme };
    expect(run?.registrations).toEqual([expect.objectContaining(registered)]);
    const taskId = run?.task_id ?? '';
    expect(await client.refusal('createConfig', { taskId, configId: 'mine', schemes })).toBeUndefined();
    const { registrations } = (await agent.runs.get(taskId)) ?? {};
    expect(registrations).toContainEqual(expect.objectContaining({ registration_id: 'mine', ...registered }));
  });

  it('[W4] [W5] is refused when none of them is known, and nothing is stored', async () => {
    const before = await agent.runs.count({});
    const schemes = ['Basic', 'Digest'];
    const refusal = await clientOf(wire).refusal('send', { skill: 'wait', input: {}, schemes });
    expect(refusal?.code).toBe('INVALID_REQUEST');
    expect(refusal?.text).toContain('send HMAC-SHA256 or Bearer');
    expect(await agent.runs.count({})).toBe(before);
  });
});
