import { randomUUID } from 'node:crypto';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import * as legacy from 'a2a-js-sdk-0.3/client';
import type { MessageSendParams, Task as LegacyTask } from 'a2a-js-sdk-0.3';
import type { TestAgent } from './test-agent.ts';

export type Binding = 'JSONRPC' | 'HTTP+JSON';

/** A webhook to tell of a task, by A2A's own mechanism. */
export interface Push {
  url: string;
  token: string;
}

/**
 * What a buyer does with an official client, whichever generation it is of; states are spelled as webhooks spell them
 * (rule T1).
 */
export interface OfficialClient {
  /** Sends and waits; answers the response of a completed task. */
  ask(skill: string, input: object): Promise<Record<string, unknown>>;
  /** Sends and does not wait; answers the id of the task. */
  begin(skill: string, input: object, push?: Push): Promise<string>;
  /** Sends, and answers the states that the stream tells of, to its end. */
  stream(skill: string, input: object, push?: Push): AsyncGenerator<Seen, void, undefined>;
  subscribe(id: string): AsyncGenerator<Seen, void, undefined>;
  stateOf(id: string): Promise<string>;
  cancel(id: string): Promise<string>;
  register(id: string, push: Push): Promise<void>;
}

/** One event of a stream: its task and, when it tells one, the state. */
export interface Seen {
  id: string;
  state: string | undefined;
}

/** The client of 1.x, which finds the agent by its card. */
export async function officialClient(agent: TestAgent, binding: Binding): Promise<OfficialClient> {
  const fetchImpl = authenticated(agent);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- their options are declared classes
  const all = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })];
  const transports = all.filter(({ protocolName }) => protocolName === binding);
  const client = await new ClientFactory({ transports }).createFromUrl(agent.baseUrl);
  const request = (skill: string, input: object, configuration: object) =>
    SendMessageRequest.fromJSON({
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] },
      configuration,
    });
  const at = (push: Push | undefined) => push && { taskPushNotificationConfig: push };
  return {
    async ask(skill, input) {
      const { artifacts } = (await client.sendMessage(request(skill, input, {}))) as Task;
      return artifacts[0]?.parts.at(-1)?.content?.value as Record<string, unknown>;
    },
    async begin(skill, input, push) {
      const configuration = { returnImmediately: true, ...at(push) };
      return ((await client.sendMessage(request(skill, input, configuration))) as Task).id;
    },
    stream: (skill, input, push) => seen(client.sendMessageStream(request(skill, input, at(push) ?? {}))),
    subscribe: (id) => seen(client.resubscribeTask({ tenant: '', id })),
    stateOf: async (id) => stateName((await client.getTask({ tenant: '', id })).status?.state),
    cancel: async (id) => stateName((await client.cancelTask({ tenant: '', id, metadata: undefined })).status?.state),
    async register(taskId, push) {
      const config = { tenant: '', taskId, id: randomUUID(), authentication: undefined, ...push };
      await client.createTaskPushNotificationConfig(config);
    },
  };
}

async function* seen(stream: AsyncIterable<StreamResponse>): AsyncGenerator<Seen, void, undefined> {
  for await (const { payload } of stream) {
    if (payload?.$case === 'task') yield { id: payload.value.id, state: stateName(payload.value.status?.state) };
    if (payload?.$case === 'statusUpdate') {
      yield { id: payload.value.taskId, state: stateName(payload.value.status?.state) };
    }
    if (payload?.$case === 'artifactUpdate') yield { id: payload.value.taskId, state: undefined };
  }
}

function stateName(state: TaskState = TaskState.TASK_STATE_UNSPECIFIED): string {
  return TaskState[state].replace('TASK_STATE_', '').toLowerCase().replace('_', '-');
}

/** The client of 0.3.x, which finds the agent by a card request that says no version. */
export async function legacyClient(agent: TestAgent, binding: Binding): Promise<OfficialClient> {
  const fetchImpl = authenticated(agent);
  const factory = new legacy.ClientFactory({
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- its options are a declared class
    transports: [new legacy.JsonRpcTransportFactory({ fetchImpl }), new legacy.RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
  });
  const client = await factory.createFromUrl(agent.baseUrl);
  const request = (skill: string, input: object, configuration: object): MessageSendParams => ({
    message: {
      ...{ kind: 'message', messageId: randomUUID(), role: 'user' },
      parts: [{ kind: 'data', data: { skill, input } }],
    },
    configuration,
  });
  const at = (push: Push | undefined) => push && { pushNotificationConfig: push };
  return {
    async ask(skill, input) {
      const task = (await client.sendMessage(request(skill, input, { blocking: true }))) as LegacyTask;
      const part = task.artifacts?.[0]?.parts.at(-1);
      if (part?.kind !== 'data') throw new Error('the task carries no response');
      return part.data;
    },
    async begin(skill, input, push) {
      const configuration = { blocking: false, ...at(push) };
      return ((await client.sendMessage(request(skill, input, configuration))) as LegacyTask).id;
    },
    stream: (skill, input, push) => legacySeen(client.sendMessageStream(request(skill, input, at(push) ?? {}))),
    subscribe: (id) => legacySeen(client.resubscribeTask({ id })),
    stateOf: async (id) => (await client.getTask({ id })).status.state,
    cancel: async (id) => (await client.cancelTask({ id })).status.state,
    async register(taskId, push) {
      await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: { id: randomUUID(), ...push } });
    },
  };
}

type LegacyEvents = ReturnType<legacy.Client['sendMessageStream']>;

async function* legacySeen(stream: LegacyEvents): AsyncGenerator<Seen, void, undefined> {
  for await (const event of stream) {
    if (event.kind === 'message') continue;
    const id = event.kind === 'task' ? event.id : event.taskId;
    yield { id, state: 'status' in event ? event.status.state : undefined };
  }
}

function authenticated(agent: TestAgent): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('Authorization', `Bearer ${agent.apiKey}`);
    return fetch(input, { ...init, headers });
  };
}
