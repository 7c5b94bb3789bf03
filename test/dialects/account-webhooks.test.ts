import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Accounts } from '../../src/sales/account/account.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import { creativeRef } from '../../src/sales/creative/creative-ref.ts';
import { decideOnCreative } from '../../src/sales/creative/review/decide.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { ask as askOurs } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Answer, Receiver } from '../webhooks/support/open-receiver.ts';
import { agentKeys, createReceiver, memoryInbox, memoryReplayStore } from '#receiver';
import type { WebhookChallenge } from '#receiver';
import { guardedFetchJson, toNode } from '#receiver/node/index';
import { accountWebhookErrors, bodyOf, callPublic, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const ORGANIZATION = organizationId('org_demo_buyer');
const SECRET = 'a shared secret of forty letters or so, at least';
const BOTH = ['creative.status_changed', 'account.status_changed'];

/** Agrees to whatever it is asked, and takes all else. */
const agrees: Answer = (response, _, { body }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ challenge: body['challenge'] }));
};

describeOnStores('[D5.accounts] webhooks of accounts on %s', (store) => {
  let at: TestAgent;
  let receiver: Receiver;
  let sample: Json;
  /** New for each test: a brand, and a path of the receiver. */
  let name: string;
  beforeAll(async () => {
    receiver = await openReceiver(agrees);
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } });
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    sample = example.creatives[0] ?? {};
  });
  beforeEach(() => {
    name = `b${randomUUID().slice(0, 8)}`;
    receiver.answer = agrees;
  });
  afterAll(async () => {
    await at.stop();
    await receiver.close();
  });

  async function ask(release: Release, skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  }
  const account = () => ({ brand: { domain: `${name}.example` }, operator: 'agency.example' });
  async function sync(configs: unknown, release: Release = '3.1', more: Json = {}): Promise<Json> {
    const row = { ...account(), billing: 'operator', ...(configs !== undefined && { notification_configs: configs }) };
    const asked = { idempotency_key: randomUUID(), accounts: [row], ...more };
    const [told] = (await ask(release, 'sync_accounts', asked))['accounts'] as Json[];
    return told ?? {};
  }
  const config = (subscriber_id = 'main', more: Json = {}): Json => ({
    ...{ subscriber_id, url: receiver.url(`/${name}/${subscriber_id}`), event_types: ['creative.status_changed'] },
    ...more,
  });
  async function listed(release: Release = '3.1'): Promise<Json | undefined> {
    const { accounts } = await ask(release, 'list_accounts', { pagination: { max_results: 100 } });
    return (accounts as Json[]).find(({ brand }) => (brand as Json)['domain'] === `${name}.example`);
  }
  /** What arrived at a subscriber of this test's, but for challenges. */
  const heard = (subscriber_id = 'main') =>
    receiver.received.filter(
      ({ path, body }) => path.startsWith(`/${name}/${subscriber_id}`) && body['type'] === undefined,
    );
  const challenges = () =>
    receiver.received.filter(({ path, body }) => path.startsWith(`/${name}/`) && body['type'] === 'webhook.challenge');
  const atLeast = (count: number, subscriber_id = 'main') =>
    until(() => Promise.resolve(heard(subscriber_id).length >= count && heard(subscriber_id).map(({ body }) => body)));
  /** Once nothing is left to be told. */
  const settled = () =>
    until(async () => {
      const where = { untold_since: { gt: '' } };
      const [{ rows: creatives }, { rows: accounts }] = await Promise.all([
        at.core.sales.creatives.find({ where }),
        at.core.sales.accounts.find({ where }),
      ]);
      return creatives.length + accounts.length === 0;
    });
  const upload = (creative_id: string) =>
    ask('3.1', 'sync_creatives', {
      ...{ account: account(), idempotency_key: randomUUID(), creatives: [{ ...sample, creative_id }] },
    });
  const decide = (account_id: string | undefined, creative_id: string, to: 'approved' | 'suspended') =>
    decideOnCreative(at.core.sales, {
      ...{ organization_id: ORGANIZATION, account_id, creative_id, to, reason: 'dead link' },
    });

  it.each(['3.1', '3.2'] as const)(
    'tell of creatives, once each, by the official schemas of %s',
    async (release) => {
      const configs = [
        config('main', { authentication: { schemes: ['HMAC-SHA256'], credentials: SECRET } }),
        config('still', { active: false }),
      ];
      const row = await sync(configs, release);
      const bare = (one: Json) => ({ ...one, authentication: { schemes: ['HMAC-SHA256'] } });
      const echoed = [{ ...bare(configs[0] ?? {}), active: true }, configs[1]];
      expect(row).toMatchObject({ action: 'created', notification_configs: echoed });
      expect(await listed(release)).toMatchObject({ notification_configs: echoed });
      const account_id = String(row['account_id']);
      const [asked] = challenges();
      expect(challenges()).toHaveLength(1);
      expect(asked?.body).toMatchObject({
        account_id,
        subscriber_id: 'main',
        event_types: ['creative.status_changed'],
      });
      expect(asked?.headers).toHaveProperty('signature');

      await upload('own');
      await atLeast(1);
      await decide(account_id, 'own', 'suspended');
      await atLeast(2);
      await decide(account_id, 'own', 'approved');
      await decide(account_id, 'own', 'approved');
      await atLeast(3);
      await settled();
      const bodies = heard().map(({ body }) => body);
      for (const body of bodies) expect(accountWebhookErrors(release, body)).toEqual([]);
      const told = { subscriber_id: 'main', account_id, creative_id: 'own', initiator: 'seller' };
      expect(bodies).toMatchObject([
        { ...told, transition: { from: 'pending_review', to: 'approved' }, reason_code: 'review_passed' },
        { ...told, transition: { from: 'approved', to: 'suspended' }, reason_detail: 'dead link' },
        { ...told, transition: { from: 'suspended', to: 'approved' }, reason_code: 'review_passed' },
      ]);
      for (const key of ['notification_id', 'idempotency_key'])
        expect(new Set(bodies.map((body) => body[key])).size).toBe(3);
      expect(heard()[0]?.headers).toHaveProperty('x-adcp-signature');
      expect(heard('still')).toEqual([]);
      // What the buyer does itself, its own answer tells.
      await ask(release, 'sync_creatives', {
        ...{ account: account(), idempotency_key: randomUUID(), delete_missing: true },
        creatives: [{ ...sample, creative_id: 'other' }],
      });
      await atLeast(4);
      await settled();
      expect(heard().map(({ body }) => body['creative_id'])).toEqual(['own', 'own', 'own', 'other']);

      const stored = await at.core.store.collection(Accounts).get(account_id);
      const runs = await at.core.store.collection(TaskRuns).find({
        where: { organization_id: ORGANIZATION },
        sort: { field: 'updated_at', direction: 'desc' },
        limit: 1000,
      });
      expect(JSON.stringify([stored, runs.rows])).not.toContain(SECRET);
      const task_id = String(bodies[0]?.['notification_id']);
      const seen = await operate(at, 'GET', `/webhooks/deliveries?organization_id=${ORGANIZATION}&task_id=${task_id}`);
      expect(seen.body).toMatchObject({ deliveries: [{ event: 'creative.status_changed', state: 'delivered' }] });
      const own = await fetch(`${at.baseUrl}/api/buyer/webhooks/deliveries?task_id=${task_id}`, {
        headers: { authorization: `Bearer ${at.apiKey}` },
      });
      expect(await own.json()).toMatchObject({ deliveries: [{ task_type: 'account_notification' }] });
    },
    120_000,
  );

  it('tell of the creatives that all accounts share, where an account has none of its own by that id', async () => {
    const { account_id } = await sync([config()]);
    const shared = `shared-${name}`;
    await askOurs(at, 'sync_creatives', { creatives: [{ ...sample, creative_id: shared }] });
    const [body] = await atLeast(1);
    expect(body).toMatchObject({ account_id, creative_id: shared, transition: { to: 'approved' } });
    await upload(shared);
    await atLeast(2);
    await decide(undefined, shared, 'suspended');
    await settled();
    expect(heard()).toHaveLength(2);
  });

  it('tell of the account as operators move it, from 3.2 on', async () => {
    const refused = await sync([config('main', { event_types: BOTH })], '3.1');
    const field = 'accounts[0].notification_configs[0].event_types[1]';
    expect(refused).toMatchObject({ action: 'failed', errors: [{ code: 'VALIDATION_ERROR', field }] });
    const row = await sync(
      [config('main', { event_types: BOTH }), config('both', { event_types: BOTH.slice(1) })],
      '3.2',
    );
    const account_id = String(row['account_id']);
    for (const status of ['suspended', 'suspended', 'active', 'closed'])
      await operate(at, 'POST', `/buyer-accounts/${account_id}/move`, { status, reason: 'owes' });
    for (const subscriber_id of ['main', 'both']) {
      const bodies = await atLeast(3, subscriber_id);
      for (const body of bodies) expect(accountWebhookErrors('3.2', body)).toEqual([]);
      const moves = bodies.map((body) => `${String(body['previous_status'])} ${String(body['status'])}`);
      expect(moves.sort()).toEqual(['active closed', 'active suspended', 'suspended active']);
    }
    await settled();
    expect(heard()).toHaveLength(3);
    const ids = (subscriber_id: string) => new Set(heard(subscriber_id).map(({ body }) => body['notification_id']));
    expect(ids('main')).toEqual(ids('both'));
    // 3.1 has no word for it.
    expect((await listed('3.1'))?.['notification_configs']).toMatchObject([
      { subscriber_id: 'main', event_types: ['creative.status_changed'] },
    ]);
    expect(await listed('3.0')).not.toHaveProperty('notification_configs');
    const { account: told } = await ask('3.2', 'get_adcp_capabilities', {});
    expect(told).toMatchObject({ notifications: { supported: true, event_types: ['account.status_changed'] } });
    for (const release of ['3.0', '3.1'] as const)
      expect((await ask(release, 'get_adcp_capabilities', {}))['account']).not.toHaveProperty('notifications');
  });

  it('are replaced as a whole, kept where they are left out, and asked for again where they change', async () => {
    expect(await sync(undefined)).not.toHaveProperty('notification_configs');
    expect(await sync([config()], '3.1', { dry_run: true })).toMatchObject({ action: 'updated' });
    expect(challenges()).toEqual([]);
    expect(await listed()).not.toHaveProperty('notification_configs');
    const { account_id } = await sync([config()]);
    const ids = (row: Json | undefined) => (row?.['notification_configs'] as Json[]).map((one) => one['subscriber_id']);
    expect(challenges()).toHaveLength(1);
    expect(await sync([config()])).toMatchObject({ action: 'unchanged' });
    expect(ids(await sync(undefined))).toEqual(['main']);
    expect(ids(await listed())).toEqual(['main']);
    expect(await sync([config('main', { active: false })])).toMatchObject({ action: 'updated' });
    expect(await sync([config()])).toMatchObject({ action: 'updated' });
    expect(challenges()).toHaveLength(1);
    const byId = { account: { account_id }, notification_configs: [config(), config('second')] };
    const asked = { idempotency_key: randomUUID(), accounts: [byId] };
    const [row] = (await ask('3.1', 'sync_accounts', asked))['accounts'] as Json[];
    expect(row).toMatchObject({ account_id, action: 'updated' });
    expect(ids(row)).toEqual(['main', 'second']);
    expect(challenges()).toHaveLength(2);
    expect(await sync([])).toMatchObject({ action: 'updated', notification_configs: [] });
    await upload('unheard');
    const key = creativeKey(ORGANIZATION, creativeRef({ account_id: String(account_id), creative_id: 'unheard' }));
    await until(async () => (await at.core.sales.creatives.get(key))?.status === 'approved');
    await settled();
    expect([...heard(), ...heard('second')]).toEqual([]);
  });

  it('are left as they were where a receiver does not agree, or repeats something else', async () => {
    await sync([config()]);
    const answers: Answer[] = [
      (response) => response.writeHead(404).end(),
      (response) => response.writeHead(200).end('{"challenge":"another"}'),
      (response) => response.writeHead(200).end('welcome'),
    ];
    for (const answer of answers) {
      receiver.answer = answer;
      const told = await sync([config(), config('new')]);
      const field = 'accounts[0].notification_configs[1].url';
      expect(told).toMatchObject({ action: 'failed', errors: [{ code: 'VALIDATION_ERROR', field }] });
      expect(told['notification_configs']).toMatchObject([{ subscriber_id: 'main' }]);
    }
    receiver.answer = (response, _, { body }) =>
      response.writeHead(201).end(JSON.stringify({ token: body['challenge'] }));
    expect(await sync([config(), config('new')])).toMatchObject({ action: 'updated' });
  });

  it('end with a receiver that is gone, and with who is told no more', async () => {
    const { account_id } = await sync([config(), config('slow')]);
    receiver.answer = (response, _, { path }) => response.writeHead(path.endsWith('main') ? 410 : 503).end();
    await upload('one');
    await Promise.all([atLeast(1), atLeast(1, 'slow')]);
    await until(async () =>
      ((await listed())?.['notification_configs'] as Json[]).some((one) => one['active'] === false),
    );
    receiver.answer = agrees;
    await sync([]);
    const { rows } = await at.core.store.collection(Deliveries).find({
      where: { organization_id: ORGANIZATION, registration_id: `${String(account_id)}.slow` },
      sort: { field: 'created_at', direction: 'desc' },
    });
    expect(rows.map(({ state }) => state)).toEqual(['ended']);
    await decide(String(account_id), 'one', 'suspended');
    await settled();
    expect([heard().length, heard('slow').length]).toEqual([1, 1]);
    // Whoever is named anew is asked anew.
    const before = challenges().length;
    expect(await sync([config()])).toMatchObject({ action: 'updated' });
    expect(challenges()).toHaveLength(before + 1);
  });

  it('are agreed to, verified and handled once by the receiver kit', async () => {
    const [seen, agreed]: [unknown[], WebhookChallenge[]] = [[], []];
    const kit = createServer();
    kit.listen(0, '127.0.0.1');
    await once(kit, 'listening');
    const publicUrl = `http://127.0.0.1:${(kit.address() as AddressInfo).port}`;
    const resolveKey = agentKeys({ agentUrl: at.baseUrl, fetchJson: guardedFetchJson({ allowLoopback: true }) });
    const rules = { replay: memoryReplayStore(), inbox: memoryInbox(), protocol: 'adcp' };
    const listener = toNode(
      createReceiver({
        ...{ ...rules, publicUrl, registration: { mode: 'rfc9421', resolveKey } },
        agrees: (asked) => agreed.push(asked) > 0 && asked.subscriber_id?.startsWith('kit') === true,
        onEvent({ raw }) {
          seen.push(raw.json);
        },
      }),
    );
    kit.on('request', listener);
    // A receiver that never took anything hears of one at a time, so that both are asked.
    const url = `${publicUrl}/hook`;
    const { account_id } = await sync([config('kit', { url }), config('kit-2', { url })]);
    const told = { account_id, event_types: ['creative.status_changed'] };
    expect(agreed).toMatchObject([
      { subscriber_id: 'kit', ...told },
      { subscriber_id: 'kit-2', ...told },
    ]);
    const refused = await sync([config('other', { url })]);
    expect(refused).toMatchObject({ action: 'failed', errors: [{ code: 'VALIDATION_ERROR' }] });
    await upload('kit');
    await until(() => Promise.resolve(seen.length > 1));
    const event = { notification_type: 'creative.status_changed', account_id, creative_id: 'kit' };
    expect(seen).toMatchObject([event, event]);
    await sync([]);
    kit.closeAllConnections();
    kit.close();
  });

  const of = (event: string) => ({ event_types: [event], active: false });
  it.each([
    ['reports of media buys', [of('scheduled')], 'VALIDATION_ERROR', '[0].event_types[0]'],
    ['impairments', [{}, { subscriber_id: 'b', ...of('impairment') }], 'VALIDATION_ERROR', '[1].event_types[0]'],
    ['what nobody tells', [of('nothing.happened')], 'VALIDATION_ERROR', '[0].event_types[0]'],
    ['purges', [of('creative.purged')], 'UNSUPPORTED_FEATURE', '[0].event_types[0]'],
    ['the feed of products', [of('product.priced')], 'UNSUPPORTED_FEATURE', '[0].event_types[0]'],
    ['nothing', [{ event_types: [] }], 'VALIDATION_ERROR', '[0].event_types'],
    ['one thing twice', [{ event_types: [BOTH[0], BOTH[0]] }], 'VALIDATION_ERROR', '[0].event_types'],
    ['a subscriber twice', [{}, {}], 'VALIDATION_ERROR', '[1].subscriber_id'],
    ['a subscriber without a name', [{ subscriber_id: '' }], 'VALIDATION_ERROR', '[0].subscriber_id'],
    ['an address of the seller’s own', [{ url: 'https://10.0.0.1/x', active: false }], 'INVALID_REQUEST', '[0].url'],
    ['plain http', [{ url: 'http://buyer.example/x', active: false }], 'INVALID_REQUEST', '[0].url'],
    [
      'a secret that is short',
      [{ authentication: { schemes: ['HMAC-SHA256'], credentials: 'short' } }],
      ...['INVALID_REQUEST', '[0].authentication.credentials'],
    ],
    ['17 of them', Array.from({ length: 17 }, (_, i) => ({ subscriber_id: `s${i}` })), 'VALIDATION_ERROR', ''],
    ['no list', 'main', 'VALIDATION_ERROR', ''],
  ] as [string, Json[] | string, string, string][])('are refused by name for %s', async (_, asked, code, field) => {
    const configs = typeof asked === 'string' ? asked : asked.map((more) => config('main', more));
    const told = await sync(configs);
    const errors = [{ code, field: `accounts[0].notification_configs${field}` }];
    expect(told).toMatchObject({ action: 'failed', errors });
    expect(await listed()).toBeUndefined();
    expect(challenges()).toEqual([]);
  });

  it('are set in our own words, too, with the same bodies', async () => {
    const row = { brand_domain: `${name}.example`, operator: 'agency.example' };
    const key = { schemes: ['HMAC-SHA256'], credentials: SECRET };
    const set = async (more: Json) => {
      const accounts = [{ ...row, notification_configs: [config('main', more)] }];
      const [told] = (await askOurs(at, 'sync_accounts', { accounts }))['accounts'] as Json[];
      return told;
    };
    const told = await set({ event_types: BOTH, authentication: key });
    expect(told).toMatchObject({
      action: 'created',
      notification_configs: [{ subscriber_id: 'main', event_types: BOTH }],
    });
    await operate(at, 'POST', `/buyer-accounts/${String(told?.['account_id'])}/move`, {
      status: 'suspended',
      reason: 'x',
    });
    const [body] = await atLeast(1);
    expect(accountWebhookErrors('3.2', body ?? {})).toEqual([]);
    expect(heard()[0]?.headers).toHaveProperty('x-proto-signature');
    receiver.answer = (response) => response.writeHead(404).end();
    const field = 'notification_configs[0].url';
    expect(await set({ event_types: BOTH.slice(1) })).toMatchObject({
      ...{ action: 'failed', error: { code: 'VALIDATION_ERROR', field } },
      notification_configs: [{ event_types: BOTH }],
    });
  });

  it('are none of 3.0', async () => {
    const field = 'accounts[0].notification_configs';
    expect(await sync([config()], '3.0')).toMatchObject({
      action: 'failed',
      errors: [{ code: 'UNSUPPORTED_FEATURE', field }],
    });
    expect(await sync([], '3.0')).toMatchObject({ action: 'created' });
  });
});
