import { randomUUID } from 'node:crypto';
import { Role, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import type { Client, CallInterceptor } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { organizationId } from '../support/ids.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { openReceiver } from './support/open-receiver.ts';
import { hold, TASKS } from './support/tasks.ts';
import { wireClients } from './support/wires.ts';

let agent: Agent;
let key: string;

beforeAll(async () => {
  agent = await openAgent({ tasks: [...TASKS, hold], grpc: true, options: { limits: { waitCapMs: 3_600_000 } } });
  key = await agent.newKey();
});
afterAll(() => agent.close());

/** Authenticates each call, on every transport. */
function authenticating(): CallInterceptor {
  return {
    before(args) {
      args.options = {
        ...args.options,
        serviceParameters: { ...args.options?.serviceParameters, authorization: `Bearer ${key}` },
      };
      return Promise.resolve();
    },
    after: () => Promise.resolve(),
  };
}

function openClient(binding: string): Promise<Client> {
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()].filter(
      ({ protocolName }) => protocolName === binding,
    ),
    clientConfig: { interceptors: [authenticating()] },
  });
  return factory.createFromUrl(agent.url);
}

function invocation(skill: string, input: object, more: object = {}): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] },
    ...more,
  });
}

async function send(client: Client, skill: string, input: object, more: object = {}): Promise<Task> {
  return (await client.sendMessage(invocation(skill, input, more))) as Task;
}

async function collect(stream: AsyncIterable<StreamResponse>) {
  const seen: StreamResponse[] = [];
  for await (const event of stream) seen.push(event);
  return seen.map(({ payload }) => payload?.$case);
}

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('the official client over %s', (binding) => {
  let client: Client;
  beforeAll(async () => {
    client = await openClient(binding);
  });

  it('sends, waits, and reads the task back', async () => {
    const task = await send(client, 'build', { thing: 'house' });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]?.parts[1]?.content).toEqual({ $case: 'data', value: { built: 'house' } });
    const read = await client.getTask({ tenant: '', id: task.id });
    expect(read.status?.timestamp).toBe(task.status?.timestamp);
    expect(read.history[0]?.role).toBe(Role.ROLE_USER);
  });

  it('[T2.wait] is answered at once while its task waits for a person or the ad server', async () => {
    for (const whom of ['person', 'ad_server']) {
      const { status } = await send(client, 'hold', { for: whom });
      expect(status?.state).toBe(TaskState.TASK_STATE_WORKING);
    }
  });

  it('says what it takes, and is answered in that, or refused', async () => {
    const accepting = (...acceptedOutputModes: string[]) => ({ configuration: { acceptedOutputModes } });
    const task = await send(client, 'build', { thing: 'house' }, accepting('application/json'));
    expect(task.artifacts[0]?.parts.map(({ content }) => content?.$case)).toEqual(['data']);
    const refused = send(client, 'build', { thing: 'house' }, accepting('image/png'));
    await expect(refused).rejects.toThrow(/text\/plain and application\/json/);
  });

  it('streams a task, and subscribes to one', async () => {
    expect(await collect(client.sendMessageStream(invocation('build', { thing: 'hut' })))).toEqual([
      'task',
      'statusUpdate',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    const asked = await send(client, 'paint', {});
    const following = collect(client.resubscribeTask({ tenant: '', id: asked.id }));
    await until(() => agent.openStreams() === 1);
    const answer = invocation('paint', { colour: 'red' });
    if (answer.message) answer.message.taskId = asked.id;
    await client.sendMessage(answer);
    expect(await following).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
  });

  it('cancels, and lists what it has begun', async () => {
    const task = await send(client, 'wait', {}, { configuration: { returnImmediately: true } });
    const canceled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const { tasks, totalSize } = await client.listTasks({
      tenant: '',
      contextId: task.contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
    });
    expect([tasks.map(({ id }) => id), totalSize]).toEqual([[task.id], 1]);
  });

  it('[T4] lists a context page by page, newest change first, and by state', async () => {
    const contextId = randomUUID();
    const begin = async (skill: string, input: object) => {
      const request = invocation(skill, input, { configuration: { returnImmediately: true } });
      if (request.message) request.message.contextId = contextId;
      return (await client.sendMessage(request)) as Task;
    };
    const tasks = [await begin('wait', {}), await begin('wait', {}), await begin('wait', {})];
    await client.cancelTask({ tenant: '', id: tasks[0]?.id ?? '', metadata: undefined });
    const list = (more: object) =>
      client.listTasks({
        ...{ tenant: '', contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
        ...{ statusTimestampAfter: undefined, ...more },
      });
    const first = await list({ pageSize: 2 });
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    const ids = [...first.tasks, ...second.tasks].map(({ id }) => id);
    expect(ids).toEqual([tasks[0]?.id, tasks[2]?.id, tasks[1]?.id]);
    expect([first.totalSize, second.nextPageToken]).toEqual([3, '']);
    const canceled = await list({ status: TaskState.TASK_STATE_CANCELED });
    expect(canceled.tasks.map(({ id }) => id)).toEqual([tasks[0]?.id]);
    const later = await list({ statusTimestampAfter: '2999-01-01T00:00:00Z' });
    expect(later.tasks).toEqual([]);
    await expect(list({ pageToken: 'no-such-token' })).rejects.toThrow(/pageToken/);
  });

  it('reads the extended card', async () => {
    const { skills, capabilities } = await client.getAgentCard();
    expect(skills).toHaveLength(TASKS.length + 1);
    expect(capabilities?.extensions[0]?.params).toMatchObject({ limits: { message_parts: 100 } });
  });

  it('[W5] registers for push, and is told by signed webhooks: progress as events, the end as the task', async () => {
    const receiver = await openReceiver();
    const config = { url: receiver.url, token: 'a-token-of-mine' };
    const task = await send(client, 'paint', {}, { configuration: { taskPushNotificationConfig: config } });
    const { configs } = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId: task.id,
      pageSize: 0,
      pageToken: '',
    });
    expect(configs.map(({ url }) => url)).toEqual([receiver.url]);
    const answer = invocation('paint', { colour: 'red' });
    if (answer.message) answer.message.taskId = task.id;
    await client.sendMessage(answer);
    await until(() => receiver.received.length === 2);
    const bodies = receiver.received.map(({ body }) => Object.keys(body)[0]).sort();
    expect(bodies).toEqual(['statusUpdate', 'task']);
    for (const { headers } of receiver.received) {
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-a2a-notification-token': config.token });
      expect(headers['signature-input']).toContain('sig1=');
    }
    await receiver.close();
  });

  it('learns of refusals by A2A’s own errors', async () => {
    await expect(client.getTask({ tenant: '', id: 'no-such-task' })).rejects.toThrow(/no task of yours/);
    await expect(send(client, 'build', { thing: 'nothing' })).rejects.toThrow(/no such thing/);
    const done = await send(client, 'echo', { say: 'x' });
    await expect(client.cancelTask({ tenant: '', id: done.id, metadata: undefined })).rejects.toMatchObject({
      reason: 'TASK_NOT_CANCELABLE',
    });
  });
});

it('[R13] authenticates over gRPC as everywhere', async () => {
  const factory = new ClientFactory({ transports: [new GrpcTransportFactory()] });
  const anonymous = await factory.createFromUrl(agent.url);
  await expect(anonymous.getTask({ tenant: '', id: 'x' })).rejects.toMatchObject({ status: 16 });
});

it('when it stops, ends the streams of gRPC as UNAVAILABLE and answers who waits with the task as it is, at once', async () => {
  const options = { limits: { waitCapMs: 3_600_000 } };
  const stopped = await openAgent({ tasks: TASKS, grpc: true, works: false, options });
  const organization_id = organizationId(randomUUID());
  key = await stopped.newKey(undefined, organization_id);
  const transports = [new GrpcTransportFactory()];
  const factory = new ClientFactory({ transports, clientConfig: { interceptors: [authenticating()] } });
  const client = await factory.createFromUrl(stopped.url);
  const kinds: unknown[] = [];
  const streamed = (async () => {
    for await (const { payload } of client.sendMessageStream(invocation('wait', {}))) kinds.push(payload?.$case);
  })();
  const refused = expect(streamed).rejects.toMatchObject({ status: status.UNAVAILABLE });
  await until(() => stopped.openStreams() === 1 && kinds.length === 1);
  const waiting = send(client, 'wait', {});
  await until(async () => (await stopped.runs.find({ where: { organization_id } })).rows.length === 2);
  await stopped.stopGrpc(60_000);
  await refused;
  expect((await waiting).status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
  expect(kinds).toEqual(['task']);
  await stopped.close();
});

it('refuses over gRPC what is too large, as everywhere', async () => {
  const one = await openAgent({ tasks: TASKS, grpc: true, options: { limits: { bodyBytes: 10_000 } } });
  const [wire] = wireClients(one, await one.newKey()).filter(({ name }) => name === 'gRPC 1.0');
  const refusal = await wire?.refusal('send', { skill: 'echo', input: { say: 'x'.repeat(20_000) } });
  expect(refusal?.status).toBe(8);
  await one.close();
});
