import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWebhookVerifier, StaticJwksResolver } from '#adcp-buyer/webhooks';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { post } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import type { Received } from '../webhooks/support/received.ts';
import { judge } from '../webhooks/support/judge.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors, webhookErrors } from './support/public-call.ts';

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' };
const SECRET = 'c0rrect-horse-battery-staple-0123456789';

describeOnStores('webhooks of the public protocol on %s', (store) => {
  let at: TestAgent;
  let receiver: Receiver;
  let line: Json;
  beforeAll(async () => {
    receiver = await openReceiver();
    at = await startTestAgent(store, { env: { APPROVAL_OVER: 'USD:50000', CREATIVE_REVIEW_SECONDS: '0' } });
    const filters = { is_fixed_price: true, pricing_currencies: ['USD'], delivery_type: 'non_guaranteed' };
    const asked = { adcp_version: '3.1', buying_mode: 'wholesale', filters };
    const { products } = bodyOf(await callPublic(at, 'get_products', asked)) as { products: Offer[] };
    const [offer] = products;
    line = { product_id: offer?.product_id, pricing_option_id: offer?.pricing_options[0]?.pricing_option_id };
  });
  afterEach(() => {
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await at.stop();
    await receiver.close();
  });

  const keysPublished = async () =>
    ((await (await fetch(`${at.baseUrl}/.well-known/jwks.json`)).json()) as { keys: Jwk[] }).keys;

  function order(adcp_version: string, more: Json = {}, budget = 20_000): Json {
    return {
      ...{ adcp_version, account, brand: { domain: 'acme.example' }, idempotency_key: randomUUID() },
      ...{ start_time: 'asap', end_time: new Date(Date.now() + 20 * 86_400_000).toISOString() },
      packages: [{ ...line, budget, bid_price: 3, context: { line: 'one' } }],
      push_notification_config: { url: receiver.url('/news') },
      ...more,
    };
  }

  const ended = (task_type = 'create_media_buy') =>
    until(() =>
      Promise.resolve(
        receiver.received.find(({ body }) => body['task_type'] === task_type && body['status'] !== 'working'),
      ),
    );

  describe.each(RELEASES)('[D5] in %s', (release) => {
    it('a booking is told as its answer was, valid by the official schemas, with the context of the request', async () => {
      const config = { url: receiver.url('/news?q=1'), operation_id: 'op-1', token: 'a-token-of-20-letters' };
      const asked = order(release, { push_notification_config: config, context: { n: 1.0 } });
      const made = bodyOf(await callPublic(at, 'create_media_buy', asked));
      const { body } = await ended();
      for (const received of receiver.received) expect(webhookErrors(release, received.body)).toEqual([]);
      expect(body).toMatchObject({
        status: 'completed',
        operation_id: 'op-1',
        protocol: 'media-buy',
        context: { n: 1 },
      });
      expect(body['token']).toBe(config.token);
      expect(body).not.toHaveProperty('domain');
      const { context: _context, ...answer } = made;
      expect(body['result']).toEqual(answer);
      expect(schemaErrors('create_media_buy', release, body['result'])).toEqual([]);
    });

    it.each([
      ['names no operation_id', {}],
      ['names null for one', { operation_id: null }],
    ])('[D5.operation] who %s is given one, the same in every event', async (_case, named) => {
      const config = { url: receiver.url('/news'), ...named };
      await callPublic(at, 'create_media_buy', order(release, { push_notification_config: config }));
      await ended();
      const ids = new Set(receiver.received.map(({ body }) => body['operation_id']));
      expect(receiver.received.length).toBeGreaterThan(1);
      expect([...ids]).toEqual([expect.stringMatching(/^[A-Za-z0-9_.:-]{8,255}$/)]);
    });

    it('a change that a person rejects is told as failed, with the public code', async () => {
      const made = bodyOf(await callPublic(at, 'create_media_buy', order(release)));
      await ended();
      const { package_id } = (made['packages'] as Json[])[0] ?? {};
      const { media_buy_id } = made;
      const asked = {
        ...{ adcp_version: release, account, media_buy_id, idempotency_key: randomUUID() },
        ...{ packages: [{ package_id, budget: 70_000 }], push_notification_config: { url: receiver.url('/news') } },
      };
      const { task_id } = bodyOf(await callPublic(at, 'update_media_buy', asked));
      const { rows } = await at.core.approvals.list({}, { limit: 100 });
      const approval = rows.find((one) => one.task_id === task_id);
      await at.core.approvals.reject(approval?.approval_id ?? '', { by: 'Ada', reason: 'no room' });
      const { body } = await ended('update_media_buy');
      expect(body).toMatchObject({ task_id, status: 'failed', result: { adcp_error: { code: 'POLICY_VIOLATION' } } });
      expect(webhookErrors(release, body)).toEqual([]);
      expect(schemaErrors('update_media_buy', release, body['result'])).toEqual([]);
    });

    it('[D5.signed] [N1.callers] creatives are told, signed by the public names with the keys of the release', async () => {
      const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
      const creative_id = `w-${release}-${store}`;
      await callPublic(at, 'sync_creatives', {
        ...{ adcp_version: release, account, idempotency_key: randomUUID() },
        creatives: [{ ...example.creatives[0], creative_id }],
        push_notification_config: { url: receiver.url('/creatives') },
      });
      const received = await ended('sync_creatives');
      expect(received.body).toMatchObject({ result: { creatives: [{ creative_id, action: 'created' }] } });
      expect(schemaErrors('sync_creatives', release, received.body['result'])).toEqual([]);
      const keys = await keysPublished();
      const { keyid } = await judge(received, keys, Date.now(), 'adcp/webhook-signing/v1');
      const key = keys.find(({ kid }) => kid === keyid);
      expect(key).toMatchObject({ adcp_use: release === '3.0' ? 'webhook-signing' : 'request-signing' });
      const verified = verifiedBySdk(received, keys);
      if (release === '3.0') await expect(verified).resolves.toMatchObject({ status: 'verified', keyid });
      else await expect(verified).rejects.toMatchObject({ code: 'webhook_mode_mismatch' });
    });
  });

  it('[D5.signed] [N1.callers] by HMAC, when asked, under the public header', async () => {
    const authentication = { schemes: ['HMAC-SHA256'], credentials: SECRET };
    const config = { url: receiver.url('/hmac'), authentication };
    await callPublic(at, 'create_media_buy', order('3.1', { push_notification_config: config }));
    const { headers } = await ended();
    expect(headers['x-adcp-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(headers).not.toHaveProperty('signature');
  });

  it('[D5] a registration of the wire, with the call or later, is told in the dialect of its task, in its own envelope', async () => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER' };
    const { push_notification_config: _config, ...asked } = order('3.1', {}, 60_000);
    const parts = [{ data: { skill: 'create_media_buy', parameters: asked } }];
    const configuration = { taskPushNotificationConfig: { url: receiver.url('/native') } };
    const sent = await post(at, {
      ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
      params: { message: { ...message, parts }, configuration },
    });
    const { task_id } = bodyOf(sent.result?.['task'] as Parameters<typeof bodyOf>[0]);
    const later = { taskId: task_id, id: 'later', url: receiver.url('/later') };
    await post(at, { jsonrpc: '2.0', id: 2, method: 'CreateTaskPushNotificationConfig', params: later });
    const { rows } = await at.core.approvals.list({}, { limit: 100 });
    const approval = rows.find((one) => one.task_id === task_id);
    await at.core.approvals.approve(approval?.approval_id ?? '', { by: 'Ada' });
    const over = (path: string) =>
      until(() =>
        Promise.resolve(receiver.received.find((one) => one.path === path && 'task' in one.body)?.body['task'] as Json),
      );
    for (const path of ['/native', '/later']) {
      const { artifacts, metadata } = (await over(path)) as {
        artifacts: { parts: { data?: Json }[] }[];
        metadata: Json;
      };
      const told = artifacts[0]?.parts.at(-1)?.data;
      expect(schemaErrors('create_media_buy', '3.1', told)).toEqual([]);
      expect(told).toMatchObject({ adcp_version: '3.1', media_buy_status: 'pending_creatives' });
      expect(metadata).toMatchObject({ task_type: 'create_media_buy' });
    }
  });

  it('[D5.operation] a webhook that comes with a read is passed over', async () => {
    const asked = { adcp_version: '3.1', push_notification_config: { url: receiver.url() } };
    expect(bodyOf(await callPublic(at, 'get_media_buys', asked))).toMatchObject({ status: 'completed' });
  });

  it('[D5] a buyer in our own words hears what it always heard, beside one of the public protocol', async () => {
    const { push_notification_config, ...asked } = order('3.1');
    expect(push_notification_config).toBeDefined();
    const made = bodyOf(await callPublic(at, 'create_media_buy', asked));
    const { media_buy_id } = made;
    const config = { url: receiver.url('/own'), operation_id: 'own' };
    const parameters = { media_buy_id, updates: { status: 'canceled' }, push_notification_config: config };
    const message = {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: [{ data: { skill: 'update_media_buy', parameters } }],
    };
    await post(at, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
    const received = await ended('update_media_buy');
    expect(received.body).toMatchObject({ domain: 'media-buy', result: { media_buy_id, status: 'canceled' } });
    await judge(received, await keysPublished(), Date.now());
  });
});

interface Offer {
  product_id: string;
  pricing_options: { pricing_option_id: string }[];
}

interface Jwk {
  kid: string;
  alg: string;
  [member: string]: unknown;
}

function verifiedBySdk({ method, url, headers, rawBody }: Received, keys: readonly Jwk[]) {
  const jwks = new StaticJwksResolver(keys as unknown as ConstructorParameters<typeof StaticJwksResolver>[0]);
  return createWebhookVerifier({ jwks })({ method, url, headers, body: rawBody.toString('utf8') });
}
