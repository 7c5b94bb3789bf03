import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invoke, invoke03, rpcClient } from '../../a2a/support/rpc.ts';
import type { RpcBody } from '../../a2a/support/rpc.ts';
import { mediaBuyInput } from '../../journeys/support/buyer.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { begin, makeBuy } from '../../tasks/support/calls.ts';

const HTTP = 'http://buyer.example/hook';
const CREATIVES = { creatives: [{ creative_id: 'banner' }] };

/** Loopback is allowed, as under `npm start`. */
let agent: TestAgent;
let modern: ReturnType<typeof rpcClient>;
let legacy: ReturnType<typeof rpcClient>;
let media_buy_id: string;
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
  modern = rpcClient(agent.baseUrl, agent.apiKey, '1.0');
  legacy = rpcClient(agent.baseUrl, agent.apiKey, '0.3');
  media_buy_id = (await makeBuy(agent)).media_buy_id;
});
afterAll(() => agent.stop());

const push = (url: string) => ({ url, operation_id: 'op' });
const reports = (url: string) => ({ url, reporting_frequency: 'daily' });
const send = (skill: string, input: object, configuration: object = {}) =>
  modern.call('SendMessage', {
    message: invoke(skill, input),
    configuration: { returnImmediately: true, ...configuration },
  });
const newTask = async () => (await begin(agent, 'create_media_buy', mediaBuyInput(agent))).task_id;

/** Every way in which a webhook is registered: with a URL, and the field that names it. */
const WAYS: [string, (url: string) => Promise<RpcBody>, string][] = [
  [
    'create_media_buy, push_notification_config',
    (url) => send('create_media_buy', mediaBuyInput(agent, { push_notification_config: push(url) })),
    'push_notification_config.url',
  ],
  [
    'create_media_buy, reporting_webhook',
    (url) => send('create_media_buy', mediaBuyInput(agent, { reporting_webhook: reports(url) })),
    'reporting_webhook.url',
  ],
  [
    'sync_creatives, push_notification_config',
    (url) => send('sync_creatives', { ...CREATIVES, push_notification_config: push(url) }),
    'push_notification_config.url',
  ],
  [
    'update_media_buy, push_notification_config',
    (url) =>
      send('update_media_buy', { media_buy_id, updates: { status: 'paused' }, push_notification_config: push(url) }),
    'push_notification_config.url',
  ],
  [
    'update_media_buy, updates.push_notification_config',
    (url) => send('update_media_buy', { media_buy_id, updates: { push_notification_config: push(url) } }),
    'updates.push_notification_config.url',
  ],
  [
    'update_media_buy, updates.reporting_webhook',
    (url) => send('update_media_buy', { media_buy_id, updates: { reporting_webhook: reports(url) } }),
    'updates.reporting_webhook.url',
  ],
  [
    'SendMessage of A2A 1.0',
    (url) => send('sync_creatives', CREATIVES, { taskPushNotificationConfig: { url } }),
    'configuration.taskPushNotificationConfig.url',
  ],
  [
    'message/send of A2A 0.3',
    (url) =>
      legacy.call('message/send', {
        message: invoke03('sync_creatives', CREATIVES),
        configuration: { blocking: false, pushNotificationConfig: { url } },
      }),
    'configuration.pushNotificationConfig.url',
  ],
  [
    'CreateTaskPushNotificationConfig of A2A 1.0',
    async (url) => modern.call('CreateTaskPushNotificationConfig', { taskId: await newTask(), id: 'x', url }),
    'taskPushNotificationConfig.url',
  ],
  [
    'tasks/pushNotificationConfig/set of A2A 0.3',
    async (url) =>
      legacy.call('tasks/pushNotificationConfig/set', {
        taskId: await newTask(),
        pushNotificationConfig: { url },
      }),
    'pushNotificationConfig.url',
  ],
];

describe.each(WAYS)('a webhook by %s', (_way, register, field) => {
  it.each([HTTP, 'HTTP://8.8.8.8/hook', 'http://localhost.buyer.example/', 'http://127.0.0.1.buyer.example/'])(
    '[W16] to %s is refused where loopback is allowed, with its field and what to send instead',
    async (url) => {
      const { error } = await register(url);
      const [, told] = [error.data].flat() as { error?: object }[];
      expect(told?.error ?? error.data.error).toMatchObject({
        code: 'ADDRESS_REFUSED',
        field,
        suggestion: expect.stringMatching(/public https URL.* http:\/\/127\.0\.0\.1/) as string,
      });
    },
  );
});
