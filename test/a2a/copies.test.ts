import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { queuedTask } from '../../src/runtime/task-definition.ts';
import { createGate } from '../runtime/support/gate.ts';
import type { Gate } from '../runtime/support/gate.ts';
import { until } from '../support/until.ts';
import { openCopies } from './support/copies.ts';
import type { Copies } from './support/copies.ts';
import type { Agent } from './support/open-agent.ts';
import { openReceiver } from './support/open-receiver.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import type { RpcBody, WireTask } from './support/rpc.ts';
import { allEvents, readEvents } from './support/sse.ts';
import { databaseOf } from './support/stores.ts';
import { describeOnStores } from '../support/stores.ts';
import { TASKS } from './support/tasks.ts';

const ROUNDS = 5;
const PER_ROUND = 10;
let gates: Gate[] = [];

/** Puts out numbered pieces, so many each time that the test lets it. */
const count = queuedTask({
  name: 'count',
  title: 'Count',
  description: 'Counts.',
  tags: [],
  examples: [],
  scope: 'tasks:write',
  mutates: false,
  input: z.strictObject({}),
  output: z.unknown(),
  check: () => Promise.resolve(),
  async run(_input, context) {
    let n = 0;
    for (const gate of gates) {
      await gate.pass();
      for (let i = 0; i < PER_ROUND; i++) {
        await context.emit({ artifact: { artifact_id: `piece-${++n}`, parts: [{ data: n }] } });
      }
    }
    return { done: { counted: n }, message: 'counted' };
  },
});

describeOnStores('copies of one agent on %s', (store) => {
  const mongodbUrl = databaseOf(store);
  let copies: Copies;
  let key: string;
  beforeAll(async () => {
    copies = await openCopies([...TASKS, count], mongodbUrl);
    key = await copies.here.newKey();
  });
  afterAll(() => copies.close());

  const client = (agent: Agent) => rpcClient(agent.url, key, '1.0');
  const subscribe = (agent: Agent, id: string) =>
    fetch(`${agent.url}/a2a/jsonrpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } }),
    });
  async function begin(agent: Agent, skill: string, input: object = {}): Promise<WireTask> {
    const configuration = { returnImmediately: true };
    return (await client(agent).call('SendMessage', { message: invoke(skill, input), configuration })).result.task;
  }

  /** @throws with the words of an error, where the answer is one. */
  function resultOf({ result, error }: Partial<RpcBody>): RpcBody['result'] {
    if (result === undefined) throw new Error(`${error?.code}: ${error?.message}`);
    return result;
  }

  it('take a message that comes twenty times at once, to both and in both generations, for one task', async () => {
    const messageId = randomUUID();
    const sends = Array.from({ length: 20 }, async (_, i) => {
      const agent = i % 2 === 0 ? copies.here : copies.there;
      const more = { messageId, contextId: messageId };
      if (i % 4 < 2) {
        const configuration = { returnImmediately: true };
        const message = invoke('build', { thing: 'house' }, more);
        return resultOf(await client(agent).call('SendMessage', { message, configuration })).task;
      }
      const message = invoke03('build', { thing: 'house' }, more);
      return resultOf(await rpcClient(agent.url, key, '0.3').call('message/send', { message }));
    });
    const tasks = await Promise.all(sends);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
    expect(tasks.filter(({ metadata }) => metadata['replayed'] !== true)).toHaveLength(1);
    const listed = await client(copies.there).call('ListTasks', { contextId: tasks[0]?.contextId });
    expect(listed.result).toMatchObject({ totalSize: 1 });
  });

  it('let a follower go from one to another, again and again, and neither lose nor repeat an event', async () => {
    gates = Array.from({ length: ROUNDS }, createGate);
    const { id } = await begin(copies.here, 'count');
    let seen: number[] = [];
    /** From the task as it stands on, until so many pieces have been seen. */
    const follow = async (agent: Agent, upTo: number, onOpen?: () => void) => {
      for await (const { data } of readEvents(await subscribe(agent, id))) {
        const { task, artifactUpdate } = (data as { result: Update }).result;
        if (task !== undefined) {
          const pieces = (task.artifacts ?? []).map(({ parts }) => Number(parts[0]?.data));
          expect(pieces.slice(0, seen.length)).toEqual(seen);
          seen = pieces;
          onOpen?.();
        } else if (artifactUpdate !== undefined) seen.push(Number(artifactUpdate.artifact.parts[0]?.data));
        if (seen.length >= upTo) return;
      }
    };
    for (const [round, gate] of gates.entries()) {
      const [one, other] = round % 2 === 0 ? [copies.here, copies.there] : [copies.there, copies.here];
      const before = round * PER_ROUND;
      await follow(one, before + 4, () => {
        gate.open();
      });
      await follow(other, before + PER_ROUND);
      expect(seen).toEqual(Array.from({ length: before + PER_ROUND }, (_, i) => i + 1));
    }
  });

  it('[T1] cancel a task from any of them, and end the streams of all', async () => {
    const { id } = await begin(copies.here, 'wait');
    const streams = [allEvents(await subscribe(copies.here, id)), allEvents(await subscribe(copies.there, id))];
    const { result } = await client(copies.there).call('CancelTask', { id });
    expect(result.status.state).toBe('TASK_STATE_CANCELED');
    for (const events of await Promise.all(streams)) {
      expect(events.at(-1)?.data).toMatchObject({
        result: { statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } },
      });
    }
    expect((await client(copies.here).call('CancelTask', { id })).error.code).toBe(-32002);
  });

  it('let webhooks change while a task is under way: what comes next goes to the new one alone', async () => {
    const [former, latter] = [await openReceiver(), await openReceiver()];
    const configuration = { taskPushNotificationConfig: { id: 'hook', url: former.url } };
    const asked = (await client(copies.here).call('SendMessage', { message: invoke('paint', {}), configuration }))
      .result.task;
    await until(() => former.received.length === 1);
    const params = { taskId: asked.id, id: 'hook' };
    await client(copies.there).call('DeleteTaskPushNotificationConfig', params);
    await client(copies.there).call('CreateTaskPushNotificationConfig', { taskId: asked.id, url: latter.url });
    const answer = { ...invoke('paint', { colour: 'red' }), taskId: asked.id };
    await client(copies.here).call('SendMessage', { message: answer });
    await until(() => latter.received.some(({ body }) => 'task' in body));
    expect(former.received).toHaveLength(1);
    await Promise.all([former.close(), latter.close()]);
  });

  it('group tasks by their context, whichever of them they came to', async () => {
    const contextId = randomUUID();
    const one = (
      await client(copies.here).call('SendMessage', { message: invoke('echo', { say: '1' }, { contextId }) })
    ).result.task;
    const two = (
      await client(copies.there).call('SendMessage', { message: invoke('echo', { say: '2' }, { contextId }) })
    ).result.task;
    expect([one.contextId, two.contextId]).toEqual([contextId, contextId]);
    const listed = (await client(copies.here).call('ListTasks', { contextId })).result as unknown as {
      tasks: WireTask[];
    };
    expect(listed.tasks.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
  });
});

interface Update {
  task?: Partial<Pick<WireTask, 'artifacts'>>;
  artifactUpdate?: { artifact: WireTask['artifacts'][number] };
}
