import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buySchedules } from '../../src/reporting/schedule.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { mediaBuyId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { approvalOf, operate } from '../journeys/support/operator.ts';
import { eventsOf, mediaBuyInput, post, send, taskOf } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { begin, makeBuy, refusal, result } from './support/calls.ts';
import type { Json } from './support/calls.ts';

const CREDENTIALS = 'c0rrect-horse-battery-staple-0123456789';
const TOKEN = 'an-opaque-token-to-echo';
const HOOK = { url: 'http://127.0.0.1:9/reports', reporting_frequency: 'daily' };
const hmac = (credentials = CREDENTIALS) => ({ schemes: ['HMAC-SHA256'], credentials });

let agent: TestAgent;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
  agent = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '900000' } });
});
afterAll(async () => {
  await agent.stop();
  await receiver.close();
});

const scheduleOf = (media_buy_id: string) => buySchedules(agent.core).get(mediaBuyId(media_buy_id));

const REFUSED: [string, unknown, string, string][] = [
  ['without a url', { reporting_frequency: 'daily' }, 'VALIDATION_ERROR', 'url'],
  ['without a frequency', { url: HOOK.url }, 'VALIDATION_ERROR', 'reporting_frequency'],
  ['of an unknown frequency', { ...HOOK, reporting_frequency: 'weekly' }, 'VALIDATION_ERROR', 'reporting_frequency'],
  ['of an unknown metric', { ...HOOK, requested_metrics: ['reach'] }, 'VALIDATION_ERROR', 'requested_metrics[0]'],
  ['of no metric', { ...HOOK, requested_metrics: [] }, 'VALIDATION_ERROR', 'requested_metrics'],
  ['with an empty operation_id', { ...HOOK, operation_id: '' }, 'VALIDATION_ERROR', 'operation_id'],
  ['with an unknown key', { ...HOOK, frequency: 'daily' }, 'VALIDATION_ERROR', 'frequency'],
  ['to an address of nobody', { ...HOOK, url: 'http://10.0.0.1/' }, 'ADDRESS_REFUSED', 'url'],
  [
    'with short credentials',
    { ...HOOK, authentication: hmac('short') },
    'INVALID_REQUEST',
    'authentication.credentials',
  ],
  [
    'with one repeated character',
    { ...HOOK, authentication: hmac('a'.repeat(40)) },
    'INVALID_REQUEST',
    'authentication.credentials',
  ],
  [
    'by bearer token',
    { ...HOOK, authentication: { schemes: ['Bearer'], credentials: CREDENTIALS } },
    'INVALID_REQUEST',
    'authentication.schemes',
  ],
];

describe('reporting_webhook', () => {
  it.each(REFUSED)(
    '[W10] [W4] [W16] %s is refused by a create, at its place, and nothing is made',
    async (_, reporting_webhook, code, field) => {
      const input = mediaBuyInput(agent, { reporting_webhook });
      expect(await refusal(agent, 'create_media_buy', input)).toMatchObject({
        code,
        field: `reporting_webhook.${field}`,
      });
      const { buyer_ref } = input as { buyer_ref: string };
      expect(await agent.core.sales.mediaBuys.count({ organization_id: 'org_demo_buyer', buyer_ref })).toBe(0);
    },
  );

  it.each(REFUSED)('[W10] [W4] [B6] %s is refused by an update, too', async (_, reporting_webhook, code, field) => {
    const { media_buy_id } = await makeBuy(agent);
    const input = { media_buy_id, updates: { reporting_webhook } };
    expect(await refusal(agent, 'update_media_buy', input)).toMatchObject({
      code,
      field: `updates.reporting_webhook.${field}`,
    });
    expect(await scheduleOf(media_buy_id)).toBeUndefined();
  });

  it('[W2] [B6] a push_notification_config among the updates needs its operation_id', async () => {
    const { media_buy_id } = await makeBuy(agent);
    const updates = { push_notification_config: { url: HOOK.url } };
    expect(await refusal(agent, 'update_media_buy', { media_buy_id, updates })).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'updates.push_notification_config.operation_id',
    });
  });
});

describe('the webhooks of a buy', () => {
  it('[W4] are stored with their secrets sealed, and no answer or message gives one back', async () => {
    const secret = { authentication: hmac(), token: TOKEN };
    const input = mediaBuyInput(agent, {
      reporting_webhook: { ...HOOK, ...secret },
      push_notification_config: { url: receiver.url(), operation_id: 'op', ...secret },
    });
    const { id } = taskOf(await send(agent, 'create_media_buy', input));
    const read = () => post(agent, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id, historyLength: 50 } });
    await until(async () => taskOf(await read()).state === 'TASK_STATE_COMPLETED');
    const media_buy_id = `mb_${id.replaceAll('-', '')}`;
    const updates = { reporting_webhook: { ...HOOK, ...secret, reporting_frequency: 'hourly' } };
    const { id: update } = taskOf(await send(agent, 'update_media_buy', { media_buy_id, updates }));
    await until(async () => (await scheduleOf(media_buy_id))?.reporting?.reporting_frequency === 'hourly');
    const runs = agent.core.store.collection(TaskRuns);
    const stored = await Promise.all([runs.get(id), runs.get(update), scheduleOf(media_buy_id), read()]);
    expect(stored.every((row) => row !== undefined)).toBe(true);
    const text = JSON.stringify(stored);
    expect(text).not.toContain(CREDENTIALS);
    expect(text).not.toContain(TOKEN);
    expect(stored[2]).toMatchObject({
      push: { registration: { mode: 'hmac-sha256', operation_id: 'op', url: receiver.url() } },
      reporting: { registration: { mode: 'hmac-sha256', url: HOOK.url } },
    });
  });

  it('[B7] other credentials or tokens make no other request', async () => {
    const ask = (credentials: string, url = HOOK.url) =>
      begin(agent, 'create_media_buy', {
        ...mediaBuyInput(agent, { buyer_ref: 'once', idempotency_key: 'reports-for-this-campaign' }),
        reporting_webhook: { ...HOOK, url, authentication: hmac(credentials) },
      });
    const [first, again] = [await ask(CREDENTIALS), await ask(`${CREDENTIALS}-rotated`)];
    expect(again.task_id).toBe(first.task_id);
    await expect(ask(CREDENTIALS, 'http://127.0.0.1:9/elsewhere')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
  });

  it('[C.events.8] [B6] are changed by an update, which affects no package, and the newest change stays', async () => {
    const push_notification_config = { url: receiver.url('/first'), operation_id: 'first' };
    const { media_buy_id } = await makeBuy(agent, {
      ...{ push_notification_config, reporting_webhook: HOOK },
      context: { by: 'create' },
    });
    expect(await scheduleOf(media_buy_id)).toMatchObject({
      push: { context_text: '{"by":"create"}' },
      reporting: { context_text: '{"by":"create"}' },
    });
    const answer = await result(agent, 'update_media_buy', {
      media_buy_id,
      updates: {
        push_notification_config: { url: receiver.url('/second'), operation_id: 'second' },
        reporting_webhook: { ...HOOK, url: receiver.url('/reports'), requested_metrics: ['clicks'] },
      },
      context: { by: 'update' },
    });
    expect(answer).toMatchObject({ revision: 3, affected_packages: [] });
    expect(await scheduleOf(media_buy_id)).toMatchObject({
      push: { registration: { url: receiver.url('/second'), operation_id: 'second' }, context_text: '{"by":"update"}' },
      reporting: { registration: { url: receiver.url('/reports') }, requested_metrics: ['clicks'], set_by_revision: 3 },
    });
  });

  it('[C.events.8] a create that still waits tells its outcome to the webhook that an update has set', async () => {
    const example = mediaBuyInput(agent);
    const [line] = example['packages'] as Json[];
    const input = {
      ...example,
      packages: [{ ...line, budget: 1_000_000 }],
      push_notification_config: { url: receiver.url('/old'), operation_id: 'old' },
    };
    const { task_id } = await begin(agent, 'create_media_buy', input);
    const { approval_id, media_buy_id } = await approvalOf(agent, task_id);
    const updates = { push_notification_config: { url: receiver.url('/new'), operation_id: 'new' } };
    await result(agent, 'update_media_buy', { media_buy_id, updates });
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    const completed = await until(() =>
      eventsOf(receiver.received, task_id).find(({ body }) => body['status'] === 'completed'),
    );
    expect(completed.body).toMatchObject({ operation_id: 'new' });
    const paths = receiver.received.filter(({ body }) => body['task_id'] === task_id).map(({ path }) => path);
    expect(paths.filter((path) => path === '/old').length).toBeGreaterThan(0);
    expect(paths.filter((path) => path === '/new')).toHaveLength(1);
  });
});
