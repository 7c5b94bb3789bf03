import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { operate } from '../journeys/support/operator.ts';
import { describeOnStores } from '../support/stores.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { bodyOf, callPublic, RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

describeOnStores('accounts on %s', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store));
  });
  afterAll(() => at.stop());

  const sync = (release: Release, accounts: Json[], more: Json = {}) =>
    ask(release, 'sync_accounts', { idempotency_key: randomUUID(), accounts, ...more });
  const brand = (domain: string, more: Json = {}): Json => ({
    ...{ brand: { domain }, operator: 'agency.example', billing: 'operator' },
    ...more,
  });

  describe.each(RELEASES)('[D4.accounts] in %s', (release) => {
    const named = (name: string) => `${name}-${release.replace('.', '')}.example`;

    it('are opened where there are none, told as they are where there are, and listed, exactly these', async () => {
      const asked = [brand(named('one')), brand(named('two'), { sandbox: true })];
      const before = (await ask(release, 'list_accounts', {}))['pagination'] as { total_count: number };
      const dry = await sync(release, asked, { dry_run: true });
      expect((await ask(release, 'list_accounts', {}))['pagination']).toMatchObject(before);

      const key = randomUUID();
      const made = await sync(release, asked, { idempotency_key: key });
      const [one, two] = made['accounts'] as Json[];
      const dryOf = ({ account_id: _id, ...told }: Json = {}) => told;
      expect(dry).toMatchObject({ dry_run: true, accounts: [dryOf(one), dryOf(two)] });
      expect(one).toMatchObject({ action: 'created', status: 'active', brand: { domain: named('one') } });
      expect(two).toMatchObject({ action: 'created', sandbox: true });
      const again = await sync(release, asked, { idempotency_key: key });
      expect(again).toMatchObject({ replayed: true, accounts: made['accounts'] });
      const known = await sync(release, asked);
      expect(known).toMatchObject({ accounts: [{ account_id: one?.['account_id'], action: 'unchanged' }, {}] });

      const { accounts, pagination } = await ask(release, 'list_accounts', { pagination: { max_results: 2 } });
      expect(pagination).toMatchObject({ total_count: before.total_count + 2 });
      // Newest first; those of one millisecond in any order.
      const newest = (accounts as Json[]).map((row) => row['account_id']);
      expect(newest.toSorted()).toEqual([one?.['account_id'], two?.['account_id']].toSorted());
      const sandboxes = await ask(release, 'list_accounts', { sandbox: true, status: 'active' });
      const told = (sandboxes['accounts'] as Json[]).map((row) => row['account_id']);
      expect(told).toContain(two?.['account_id']);
      expect(told).not.toContain(one?.['account_id']);
    });

    it('are told what is wrong one by one', async () => {
      const { accounts } = await sync(release, [
        brand(named('agent'), { billing: 'agent' }),
        brand(named('good'), { payment_terms: 'net_30' }),
        brand(named('told'), {
          notification_configs: [{ subscriber_id: 's', url: 'https://x.example', event_types: ['creative.purged'] }],
        }),
        { account: { account_id: 'acc_none' } },
        { account: { brand: { domain: 'of-nobody.example' }, operator: 'agency.example' } },
        brand(named('by'), { operator: 'Agency' }),
      ]);
      expect(accounts).toMatchObject([
        { action: 'failed', errors: [{ code: 'BILLING_NOT_SUPPORTED', field: 'accounts[0].billing' }] },
        { action: 'created', warnings: [expect.stringContaining('payment_terms') as unknown] },
        {
          action: 'failed',
          errors: [
            {
              code: 'UNSUPPORTED_FEATURE',
              field: expect.stringContaining('accounts[2].notification_configs') as unknown,
            },
          ],
        },
        { action: 'failed', account_id: 'acc_none', errors: [{ code: 'ACCOUNT_NOT_FOUND' }] },
        { action: 'failed', errors: [{ code: 'ACCOUNT_NOT_FOUND', field: 'accounts[4].account' }] },
        { action: 'failed', errors: [{ code: 'VALIDATION_ERROR', field: 'accounts[5].operator' }] },
      ]);
      const { accounts: listed } = await ask(release, 'list_accounts', {});
      const domains = (listed as Json[]).map((row) => (row['brand'] as Json)['domain']);
      expect(domains).toContain(named('good'));
      expect(domains).not.toContain(named('agent'));
      expect(domains).not.toContain(named('told'));
    });

    it('by an operator’s move stop what books and changes, and nothing that reads', async () => {
      const [row] = (await sync(release, [brand(named('moved'))]))['accounts'] as [Json];
      const account_id = String(row['account_id']);
      const move = (status: string) =>
        operate(at, 'POST', `/buyer-accounts/${account_id}/move`, { status, reason: 'owes' });
      const change = () =>
        callPublic(at, 'update_media_buy', {
          ...{ adcp_version: release, account: { account_id }, idempotency_key: randomUUID() },
          ...{ media_buy_id: booked, paused: true },
        });
      const booked = String((await book(release, account_id))['media_buy_id']);
      for (const [status, code] of [
        ['suspended', 'ACCOUNT_SUSPENDED'],
        ['payment_required', 'ACCOUNT_PAYMENT_REQUIRED'],
        ['pending_approval', 'ACCOUNT_SETUP_REQUIRED'],
      ] as const) {
        expect(await move(status)).toMatchObject({ status: 200, body: { account_id, status } });
        expect(await book(release, account_id)).toMatchObject({ adcp_error: { code, field: 'account' } });
        expect(bodyOf(await change())).toMatchObject({ adcp_error: { code } });
        const read = await ask(release, 'get_media_buys', { account: { account_id }, media_buy_ids: [booked] });
        expect(read).toMatchObject({ media_buys: [{ media_buy_id: booked }] });
      }
      await move('active');
      expect(bodyOf(await change())).toMatchObject({ media_buy_id: booked });
      await move('closed');
      expect(await move('active')).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE' } } });
    });
  });

  it('[D4] media buys of an account are the page, however many newer ones another account has', async () => {
    const opened = await sync('3.1', [brand('older.example'), brand('newer.example')]);
    const [older, newer] = (opened['accounts'] as Json[]).map((row) => String(row['account_id'])) as [string, string];
    const wanted = [await book('3.1', older), await book('3.1', older)].map((body) => body['media_buy_id']);
    for (let i = 0; i < 3; i++) expect(await book('3.1', newer)).toHaveProperty('media_buy_id');
    const statuses = ['pending_creatives', 'pending_start', 'active'];
    const read = (account_id: string, page: Json) =>
      ask('3.1', 'get_media_buys', { account: { account_id }, status_filter: statuses, pagination: page });
    const idsOf = (body: Json) => (body['media_buys'] as Json[]).map((row) => row['media_buy_id']);
    const first = await read(older, { max_results: 1 });
    const { cursor, has_more } = first['pagination'] as Json;
    expect(has_more).toBe(true);
    const rest = await read(older, { max_results: 1, cursor });
    expect([...idsOf(rest), ...idsOf(first)].sort()).toEqual([...wanted].sort());
    expect(idsOf(first)).toHaveLength(1);
    expect(rest['pagination']).toEqual({ has_more: false, total_count: 2 });
    const foreign = await ask('3.1', 'get_media_buys', { account: { account_id: newer }, media_buy_ids: wanted });
    expect(idsOf(foreign)).toEqual([]);
    const all = await ask('3.1', 'get_media_buys', { status_filter: statuses, pagination: { max_results: 100 } });
    expect(idsOf(all)).toEqual(expect.arrayContaining(wanted));
    const delivered = await ask('3.1', 'get_media_buy_delivery', {
      account: { account_id: older },
      status_filter: statuses,
    });
    const told = (delivered['media_buy_deliveries'] as Json[]).map((row) => row['media_buy_id']);
    expect(new Set(told)).toEqual(new Set(wanted));
  });

  async function book(adcp_version: Release, account_id: string): Promise<Json> {
    const filters = { is_fixed_price: true, pricing_currencies: ['USD'], delivery_type: 'non_guaranteed' };
    const { products } = bodyOf(
      await callPublic(at, 'get_products', { adcp_version, buying_mode: 'wholesale', filters }),
    ) as { products: { product_id: string; pricing_options: { pricing_option_id: string }[] }[] };
    const [offer] = products;
    const pricing_option_id = offer?.pricing_options[0]?.pricing_option_id;
    return bodyOf(
      await callPublic(at, 'create_media_buy', {
        ...{ adcp_version, account: { account_id }, brand: { domain: 'acme.example' }, idempotency_key: randomUUID() },
        ...{ start_time: 'asap', end_time: new Date(Date.now() + 20 * 86_400_000).toISOString() },
        packages: [{ product_id: offer?.product_id, pricing_option_id, budget: 20_000, bid_price: 3 }],
      }),
    );
  }

  it('[D4.accounts] are seen and moved by operators, newest first, and by state', async () => {
    const [row] = (await sync('3.1', [brand('seen.example')]))['accounts'] as [Json];
    const account_id = String(row['account_id']);
    const { body } = await operate(at, 'GET', '/buyer-accounts?organization_id=org_demo_buyer&limit=1');
    expect(body).toMatchObject({ accounts: [{ account_id, organization_id: 'org_demo_buyer', status: 'active' }] });
    await operate(at, 'POST', `/buyer-accounts/${account_id}/move`, { status: 'suspended', reason: 'owes' });
    const suspended = await operate(at, 'GET', '/buyer-accounts?status=suspended');
    expect(suspended.body).toMatchObject({ accounts: [{ account_id, status: 'suspended' }] });
    expect((await operate(at, 'GET', `/buyer-accounts/${account_id}`)).body).toMatchObject({ status: 'suspended' });
    const none = await operate(at, 'POST', '/buyer-accounts/none/move', { status: 'active', reason: 'x' });
    expect(none).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND', field: 'account_id' } } });
  });

  it.each([
    ['delete_missing', { delete_missing: true }, 'UNSUPPORTED_FEATURE', 'delete_missing'],
    ['neither brand nor account', { accounts: [{}] }, 'INVALID_REQUEST', 'accounts[0].brand'],
    ['an account that names none', { accounts: [{ account: {} }] }, 'INVALID_REQUEST', 'accounts[0].account'],
    ['a brand that is no domain', { accounts: [brand('No Domain')] }, 'VALIDATION_ERROR', 'accounts[0].brand.domain'],
    ['no key', { idempotency_key: undefined }, 'INVALID_REQUEST', 'idempotency_key'],
  ])('[D4.accounts] a sync with %s is refused by name', async (_, more, code, field) => {
    const given = { idempotency_key: randomUUID(), accounts: [brand('x.example')], ...more };
    const parameters = JSON.parse(JSON.stringify({ adcp_version: '3.1', ...given })) as Json;
    expect(bodyOf(await callPublic(at, 'sync_accounts', parameters))).toMatchObject({ adcp_error: { code, field } });
  });
});
