import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { inlineTask } from '../../src/runtime/task-definition.ts';
import { getTaskStatus } from '../../src/tasks/get-task-status/task.ts';
import { objectTokens, spaced } from '../support/json-tokens.ts';
import { describeOnStores } from '../support/stores.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { databaseOf } from './support/stores.ts';
import { TASKS } from './support/tasks.ts';
import { wireClients } from './support/wires.ts';

/** Takes a context, and says nothing of it. */
const take = inlineTask({
  ...{ name: 'take', title: 'Take', description: 'Takes.', tags: ['test'], output: z.unknown(), examples: [] },
  scope: 'tasks:read',
  input: z.strictObject({ context: z.record(z.string(), z.unknown()) }),
  answer: () => Promise.resolve({ result: { taken: true }, message: 'taken' }),
});

const ODD = '{"id":12345678901234567890,"price":1.10,"10":3,"2":4,"__proto__":{"x":[1.0,-0,"\\u00e9\\/é"]},"n":null}';

interface JsonWire {
  version: '1.0' | '0.3';
  path: (skill: 'send' | 'stream') => string;
  /** The request as text, so that the input's spelling is the test's own. */
  body: (skill: string, input: string, configuration: object, operation: 'send' | 'stream') => string;
  push: string;
}

const envelope = (method: string, message: string, configuration: object) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"configuration":${JSON.stringify(configuration)},"message":${message}}}`;

const message = (role: string, parts: string, data: string) =>
  `{"messageId":"${randomUUID()}","role":"${role}","${parts}":[${data}]}`;

const WIRES: Record<string, JsonWire> = {
  'JSON-RPC 1.0': {
    version: '1.0',
    path: () => '/a2a/jsonrpc',
    push: 'taskPushNotificationConfig',
    body: (skill, input, configuration, operation) =>
      envelope(
        operation === 'send' ? 'SendMessage' : 'SendStreamingMessage',
        message('ROLE_USER', 'parts', `{"data":{"skill":"${skill}","input":${input}}}`),
        { ...configuration, returnImmediately: true },
      ),
  },
  'JSON-RPC 0.3': {
    version: '0.3',
    path: () => '/a2a/jsonrpc',
    push: 'pushNotificationConfig',
    body: (skill, input, configuration, operation) =>
      envelope(
        operation === 'send' ? 'message/send' : 'message/stream',
        message('user', 'parts', `{"kind":"data","data":{"skill":"${skill}","input":${input}}}`),
        configuration,
      ),
  },
  'HTTP+JSON 1.0': {
    version: '1.0',
    path: (operation) => `/a2a/rest/message:${operation}`,
    push: 'taskPushNotificationConfig',
    body: (skill, input, configuration) =>
      `{"configuration":${JSON.stringify({ ...configuration, returnImmediately: true })},"message":${message(
        'ROLE_USER',
        'parts',
        `{"data":{"skill":"${skill}","input":${input}}}`,
      )}}`,
  },
  'HTTP+JSON 0.3': {
    version: '0.3',
    path: (operation) => `/a2a/rest/v1/message:${operation}`,
    push: 'pushNotification',
    body: (skill, input, configuration) =>
      `{"configuration":${JSON.stringify({ blocking: false, historyLength: 0, acceptedOutputModes: [], ...configuration })},"request":${message(
        'ROLE_USER',
        'content',
        `{"data":{"data":{"skill":"${skill}","input":${input}}}}`,
      )}}`,
  },
};

describeOnStores('[W19] on %s', (store) => {
  let agent: Agent;
  let key: string;
  let receiver: Receiver;
  beforeAll(async () => {
    const status = getTaskStatus({
      tasks: { read: (...of: Parameters<Agent['runtime']['read']>) => agent.runtime.read(...of) },
    } as never);
    agent = await openAgent({ tasks: [...TASKS, take, status], mongodbUrl: databaseOf(store), grpc: true });
    key = await agent.newKey();
    receiver = await openReceiver();
  });
  afterAll(async () => {
    await agent.close();
    await receiver.close();
  });

  async function post(wire: JsonWire, operation: 'send' | 'stream', skill: string, input: string, more: object = {}) {
    const response = await fetch(agent.url + wire.path(operation), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'A2A-Version': wire.version,
        Authorization: `Bearer ${key}`,
      },
      body: wire.body(skill, input, more, operation),
    });
    return { status: response.status, text: await response.text() };
  }

  it.each(Object.entries(WIRES))(
    '[W19] [C.events.2] over %s a context comes back as it was written, in answers and all its webhooks',
    async (_name, wire) => {
      const hook = `/${randomUUID()}`;
      const push_notification_config = JSON.stringify({ url: receiver.url(`${hook}/mcp`), operation_id: 'op' });
      const input = `{"thing":"house", "context": ${ODD.replaceAll(',', ' ,\n ')},"push_notification_config":${push_notification_config}}`;
      const config = { [wire.push]: { id: 'one', token: '', url: receiver.url(`${hook}/a2a`) } };
      const { status, text } = await post(wire, 'send', 'build', input, config);
      expect([status, text]).toEqual([200, expect.stringContaining(`"context":${ODD}`)]);
      const told = () => receiver.received.filter(({ path }) => path.startsWith(hook));
      while (told().length < 6) await receiver.arrived(receiver.received.length + 1);
      for (const { rawBody } of told()) expect(rawBody.toString()).toContain(`"context":${ODD}`);

      const task_id = /"(?:task_id|taskId)":"([^"]+)"/.exec(told()[0]?.rawBody.toString() ?? '')?.[1] ?? '';
      for (const operation of ['send', 'stream'] as const) {
        const read = await post(wire, operation, 'get_task_status', `{"task_id":"${task_id}"}`);
        expect(read.text).toContain(`"context":${ODD}`);
        expect(read.text).toContain('"task_type":"build"');
      }
      for (const client of wireClients(agent, key)) {
        expect(await client.refusal('get', { taskId: task_id })).toBeUndefined();
      }
    },
  );

  it('[W19] for any context, what comes back is what was sent, without its white space', async () => {
    const wires = Object.values(WIRES);
    await fc.assert(
      fc.asyncProperty(
        objectTokens,
        fc.array(spaced, { minLength: 1, maxLength: 9 }),
        fc.constantFrom(...wires),
        async (tokens, spaces, wire) => {
          const context = tokens.map((token, n) => token + (spaces[n % spaces.length] ?? '')).join('');
          const { text } = await post(wire, 'send', 'take', `{"context": ${context}}`);
          expect(text).toContain(`"context":${tokens.join('')}}`);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('[W19] a message is the same one whatever its context looks like', async () => {
    const wire = WIRES['JSON-RPC 1.0'];
    if (wire === undefined) throw new Error('no such wire');
    const [first, again] = ['{"a":1.0,"b":[]}', '{ "b":[], "a":1 }'].map((context) =>
      wire.body('take', `{"context":${context}}`, {}, 'send').replace(/"messageId":"[^"]+"/, '"messageId":"the same"'),
    );
    const ids = [];
    for (const body of [first, again]) {
      const response = await fetch(`${agent.url}/a2a/jsonrpc`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Authorization: `Bearer ${key}` },
        body: body ?? '',
      });
      ids.push(((await response.json()) as { result: { task: { id: string } } }).result.task.id);
    }
    expect(ids[0]).toBe(ids[1]);
  });

  it.each([
    ['a key that stands twice', '{"a":{"b":[{"c":1,"\\u0063":2}]}}', 'context.a.b[0].c'],
    ['more than 32 KiB', `{"a":"${'x'.repeat(32 * 1024)}"}`, 'context'],
  ])('[W19] refuses %s, with its place', async (_what, context, field) => {
    for (const wire of Object.values(WIRES)) {
      const { text } = await post(wire, 'send', 'build', `{"thing":"house","context":${context}}`);
      expect(text).toContain(`"field":"${field}"`);
    }
    const refusals = await Promise.all(
      wireClients(agent, key).map((client) =>
        client.refusal('send', { skill: 'build', input: { thing: 'house', context: { a: 'x'.repeat(32 * 1024) } } }),
      ),
    );
    expect(refusals.map((refusal) => refusal?.code)).toEqual(refusals.map(() => 'VALIDATION_ERROR'));
  });
});
