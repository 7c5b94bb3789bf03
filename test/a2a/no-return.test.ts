import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Caller } from '../../src/directory/caller.ts';
import { queuedTask } from '../../src/runtime/task-definition.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { rpcClient } from './support/rpc.ts';
import { wireClients } from './support/wires.ts';

/** Commits, and is done once it is woken. */
const ship = queuedTask({
  name: 'ship',
  title: 'Ship',
  description: 'Ships.',
  tags: [],
  examples: [],
  scope: 'tasks:write',
  mutates: true,
  input: z.strictObject({}),
  output: z.unknown(),
  check: () => Promise.resolve(),
  async run(_input, context) {
    const isCommitted = context.run.committed_at !== null;
    await context.commit();
    return isCommitted ? { done: {}, message: 'shipped' } : { waitUntil: undefined };
  },
});

let agent: Agent;
beforeAll(async () => {
  agent = await openAgent({ tasks: [ship], grpc: true });
});
afterAll(() => agent.close());

it('[T1.no-return] a task that is committed cannot be canceled over any wire, and each says since when', async () => {
  const caller: Caller = {
    ...{ organization_id: organizationId(randomUUID()), principal_id: 'key' },
    scopes: ['tasks:read', 'tasks:write'],
  };
  const { task_id } = (await agent.runtime.submit({ caller, task_type: 'ship', input: {} })).run;
  const before = await until(async () => {
    const row = await agent.runs.get(task_id);
    return row?.committed_at !== null && row?.run_due_at === null && row;
  });
  const since = before.committed_at ?? '';
  const key = await agent.newKey(undefined, caller.organization_id);
  const wires = wireClients(agent, key);
  expect(wires).toHaveLength(6);
  for (const wire of wires) {
    const status = { JSONRPC: -32002, 'HTTP+JSON': 400, GRPC: 9 }[wire.binding];
    const refusal = await wire.refusal('cancel', { taskId: task_id });
    expect({ wire: wire.name, ...refusal }).toMatchObject({ wire: wire.name, code: 'NOT_CANCELLABLE', status });
    expect(refusal?.text).toContain('its outcome will be told');
    // A member of JSON, or an entry of ErrorInfo's metadata.
    const stated = wire.binding === 'GRPC' ? `\x05since\x12\x18${since}` : `"since":"${since}"`;
    expect([wire.name, refusal?.text.includes(stated)]).toEqual([wire.name, true]);
  }
  expect(await agent.runs.get(task_id)).toEqual(before);
  await agent.runtime.wake(task_id);
  const over = await until(async () => {
    const { result } = await rpcClient(agent.url, key, '1.0').call('GetTask', { id: task_id });
    return result.status.state === 'TASK_STATE_COMPLETED' && result;
  });
  expect(over.id).toBe(task_id);
});
