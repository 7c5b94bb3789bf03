import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openReceiver } from './support/open-receiver.ts';
import { rpcClient } from './support/rpc.ts';
import { allEvents } from './support/sse.ts';

let launcher: ChildProcess;
let url: string;

beforeAll(async () => {
  const env = { ...process.env, PORT: '0' };
  launcher = spawn(process.execPath, ['scripts/run.mjs', 'conformance-agent'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (launcher.stdout === null) throw new Error('no standard output');
  const lines = createInterface(launcher.stdout)[Symbol.asyncIterator]();
  const ready = JSON.parse(String((await lines.next()).value)) as { base_url: string };
  url = ready.base_url;
});
afterAll(async () => {
  const ended = once(launcher, 'exit');
  launcher.kill('SIGTERM');
  await ended;
});

function message(messageId: string, more: object = {}) {
  return { messageId, role: 'ROLE_USER', parts: [{ text: 'anything' }], ...more };
}

it('answers by the prefix of the message id, over the real server, worker, store and queue', async () => {
  const client = rpcClient(url, 'none', '1.0');
  const stateOf = async (messageId: string) =>
    (await client.call('SendMessage', { message: message(messageId) })).result.task.status.state;
  expect(await stateOf('tck-complete-task-1')).toBe('TASK_STATE_COMPLETED');
  expect(await stateOf('tck-reject-task-1')).toBe('TASK_STATE_REJECTED');
  expect(await stateOf('tck-input-required-1')).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(await stateOf('anything-else')).toBe('TASK_STATE_INPUT_REQUIRED');
  const reply = (await client.call('SendMessage', { message: message('tck-message-response-1') })).result;
  expect(reply).toMatchObject({ message: { role: 'ROLE_AGENT' } });
});

it('streams chunks of one artifact', async () => {
  const response = await fetch(`${url}/a2a/rest/message:stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ message: message('tck-stream-artifact-chunked-1') }),
  });
  const kinds = (await allEvents(response)).map(({ data }) => Object.keys(data as object)[0]);
  expect(kinds).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']);
});

it('begins another task for the same message id, as the kits need, and tells a registered receiver', async () => {
  const receiver = await openReceiver();
  const client = rpcClient(url, 'none', '1.0');
  const credentials = 'a-token-of-at-least-32-characters';
  const send = () =>
    client.call('SendMessage', {
      message: message('tck-input-required-2'),
      configuration: {
        taskPushNotificationConfig: { url: receiver.url, authentication: { scheme: 'Bearer', credentials } },
      },
    });
  const [first, second] = [(await send()).result.task, (await send()).result.task];
  expect(second.id).not.toBe(first.id);
  await client.call('SendMessage', { message: message('tck-complete-task-2', { taskId: second.id }) });
  await until(() => receiver.received.some(({ body }) => 'task' in body));
  expect(receiver.received[0]?.headers.authorization).toBe(`Bearer ${credentials}`);
  await receiver.close();
});
