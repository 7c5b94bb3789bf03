import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeys, createApiKey } from '../../src/directory/api-key/api-key.ts';
import { ConfigError } from '../../src/main/config/config-error.ts';
import { addOrganization } from '../../src/directory/organization/add-organization.ts';
import { OrganizationId } from '../../src/platform/organization-id.ts';
import type { QueuedTask } from '../../src/runtime/task-definition.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { partOfIds, TaskId } from '../../src/platform/task-id.ts';
import { createForcedArms } from '../../src/sales/fixture/forced-arms.ts';
import { isMadeHere, MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { readProjectFile } from '../support/project-files.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import type { StoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { officialScenarios } from './support/official-scenarios.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors, webhookErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

/** It says of every scenario that is not built why not. */
const { text: interop } = await readProjectFile('docs/interop.md');
const sandbox = { ...accountOf('acme.example'), sandbox: true };

describeOnStores('the test controller on %s', (store) => {
  let at: TestAgent;
  let line: Json;
  let receiver: Receiver;
  const hooks: StoreHooks = {};
  beforeAll(async () => {
    receiver = await openReceiver();
    at = await startTestAgent(store, {
      env: { COMPLIANCE_TESTING: '1', APPROVAL_OVER: '' },
      wrapStore: (plain) => withStoreHooks(plain, hooks),
    });
    line = await packageForSale(at);
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

  const play = (release: Release, scenario: string, params: Json, account: Json = sandbox) =>
    ask(release, 'comply_test_controller', { account, scenario, params, context: { told: scenario } });

  async function booked(release: Release, more: Json = {}): Promise<string> {
    const { media_buy_id } = await ask(release, 'create_media_buy', orderOf(line, { account: sandbox, ...more }));
    return String(media_buy_id);
  }

  const readBuy = async (release: Release, media_buy_id: string) =>
    ((await ask(release, 'get_media_buys', { media_buy_ids: [media_buy_id] }))['media_buys'] as Json[])[0];

  async function opened(release: Release, account: Json): Promise<string> {
    const accounts = [{ ...account, billing: 'operator' }];
    const told = await ask(release, 'sync_accounts', { idempotency_key: randomUUID(), accounts });
    return String((told['accounts'] as Json[])[0]?.['account_id']);
  }

  describe.each(RELEASES)('[D4.tested] in %s', (release) => {
    it('is told of with what it can do, and answers what it cannot in its own words', async () => {
      const capabilities = await ask(release, 'get_adcp_capabilities', {});
      const any = release === '3.0' ? {} : { account: { sandbox: true } };
      const { scenarios } = await ask(release, 'comply_test_controller', { ...any, scenario: 'list_scenarios' });
      expect(scenarios).toContain('force_media_buy_status');
      const told = (capabilities['compliance_testing'] as Json)['scenarios'] as string[];
      expect(told).toEqual((scenarios as string[]).filter((name) => release !== '3.0' || isNamedIn30(name)));
      const context = { told: 'force_nothing' };
      expect(await play(release, 'force_nothing', {})).toMatchObject({ error: 'UNKNOWN_SCENARIO', context });
      const built = ['list_scenarios', ...(scenarios as string[])];
      const unbuilt = officialScenarios(release).filter((name) => !built.includes(name));
      expect(unbuilt).toContain('seed_plan');
      for (const name of unbuilt) {
        expect(await play(release, name, {})).toMatchObject({ success: false, error: 'UNKNOWN_SCENARIO' });
        expect(interop).toContain(`\`${name}\``);
      }
      expect(await play(release, 'force_creative_status', {})).toMatchObject({
        success: false,
        error: 'INVALID_PARAMS',
        error_detail: expect.stringContaining('params.creative_id') as unknown,
      });
      const nobody = { scenario: 'force_creative_status', params: { creative_id: 'none', status: 'approved' } };
      expect(await ask(release, 'comply_test_controller', { ...any, ...nobody })).toMatchObject({ error: 'NOT_FOUND' });
      const nameless = await ask(release, 'comply_test_controller', { scenario: 'list_scenarios' });
      expect(nameless).toMatchObject(
        release === '3.0' ? { success: true } : { success: false, error: 'INVALID_PARAMS' },
      );
    });

    it('moves sandbox accounts by their table, which stops what is booked under them, and no live ones', async () => {
      const account = { ...accountOf(`forced-${release.replace('.', '')}.example`), sandbox: true };
      const account_id = await opened(release, account);
      const suspended = await play(release, 'force_account_status', { account_id, status: 'suspended' });
      expect(suspended).toMatchObject({ success: true, previous_state: 'active', current_state: 'suspended' });
      const refused = await ask(release, 'create_media_buy', orderOf(line, { account }));
      expect(refused).toMatchObject({ adcp_error: { code: 'ACCOUNT_SUSPENDED' } });
      await play(release, 'force_account_status', { account_id, status: 'closed' });
      expect(await play(release, 'force_account_status', { account_id, status: 'active' })).toMatchObject({
        ...{ success: false, error: 'INVALID_TRANSITION', current_state: 'closed' },
      });

      const live = accountOf(`live-${release.replace('.', '')}.example`);
      const live_id = await opened(release, live);
      const forbidden = { success: false, error: 'FORBIDDEN' };
      expect(await play(release, 'force_account_status', { account_id: live_id, status: 'closed' })).toMatchObject(
        forbidden,
      );
      const about = { account_id, status: 'closed' };
      expect(await play(release, 'force_account_status', about, live)).toMatchObject(forbidden);
      expect(await play(release, 'force_account_status', about, { account_id: live_id })).toMatchObject(forbidden);
      const bought = await booked(release, { account: live });
      const move = { media_buy_id: bought, status: 'canceled' };
      expect(await play(release, 'force_media_buy_status', move)).toMatchObject(forbidden);
    });

    it('moves media buys by their table, with the ad server told, and what the table refuses is refused', async () => {
      const start_time = new Date(Date.now() + 5 * 86_400_000).toISOString();
      const media_buy_id = await booked(release, { start_time });
      const active = await play(release, 'force_media_buy_status', { media_buy_id, status: 'active' });
      expect(active).toMatchObject({ success: true, previous_state: 'pending_creatives', current_state: 'active' });
      expect(await readBuy(release, media_buy_id)).toMatchObject({ status: 'active' });
      const again = await play(release, 'force_media_buy_status', { media_buy_id, status: 'active' });
      expect(again).toMatchObject({ previous_state: 'active', current_state: 'active' });
      const paused = await play(release, 'force_media_buy_status', { media_buy_id, status: 'paused' });
      expect(paused).toMatchObject({ current_state: 'paused' });
      const back = await play(release, 'force_media_buy_status', { media_buy_id, status: 'pending_start' });
      expect(back).toMatchObject({ error: 'INVALID_TRANSITION', current_state: 'paused' });
      const done = await play(release, 'force_media_buy_status', { media_buy_id, status: 'completed' });
      expect(done).toMatchObject({ success: true, current_state: 'completed' });
      const late = await play(release, 'force_media_buy_status', { media_buy_id, status: 'active' });
      expect(late).toMatchObject({ success: false, error: 'INVALID_TRANSITION', current_state: 'completed' });
      const buyId = media_buy_id as Parameters<typeof at.core.sales.adServer.read>[0];
      await until(async () => {
        const held = await at.core.sales.adServer.read(buyId);
        return held.found && held.state === 'ended';
      });

      const rejected = await booked(release);
      const why = { media_buy_id: rejected, status: 'rejected', rejection_reason: 'no room' };
      expect(await play(release, 'force_media_buy_status', why)).toMatchObject({ current_state: 'rejected' });
      const unheard = { media_buy_id: rejected, status: 'completed' };
      expect(await play(release, 'force_media_buy_status', unheard)).toMatchObject({ error: 'INVALID_TRANSITION' });
    });
  });

  describe('[D4.tested] for deliveries', () => {
    const release = '3.0';
    const deliveryOf = async (media_buy_id: string) => {
      const told = await ask(release, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
      return (told['media_buy_deliveries'] as Json[])[0]?.['totals'];
    };

    it('has the simulated ad server deliver, before the flight begins too, and its statements and ours say the same', async () => {
      const start_time = new Date(Date.now() + 2 * 86_400_000).toISOString();
      const media_buy_id = await booked(release, { start_time });
      const reported_spend = { amount: 150, currency: 'USD' };
      const said = { media_buy_id, impressions: 10_000, clicks: 150, reported_spend };
      const once = await play(release, 'simulate_delivery', said);
      expect(once).toMatchObject({ simulated: { impressions: 10_000, clicks: 150, reported_spend } });
      expect(once['cumulative']).toEqual(once['simulated']);
      expect(await deliveryOf(media_buy_id)).toMatchObject({ impressions: 10_000, clicks: 150, spend: 150 });
      const twice = await play(release, 'simulate_delivery', {
        ...said,
        reported_spend: { amount: 0.5, currency: 'USD' },
      });
      expect(twice).toMatchObject({ cumulative: { impressions: 20_000, reported_spend: { amount: 150.5 } } });

      const [from, until] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 10 * 86_400_000)];
      const { rows } = await at.core.sales.adServer.statements({
        ...{ media_buy_ids: [media_buy_id], from: from.toISOString(), until: until.toISOString() },
      });
      expect(rows.reduce((sum, { counts }) => sum + counts.impressions, 0)).toBe(20_000);

      for (const wrong of [
        { clicks: 10_001 },
        { reported_spend: { amount: 0.001, currency: 'USD' } },
        { reported_spend: { amount: 1, currency: 'EUR' } },
      ]) {
        expect(await play(release, 'simulate_delivery', { ...said, ...wrong })).toMatchObject({
          error: 'INVALID_PARAMS',
        });
      }
      const tooMuch = { ...said, reported_spend: { amount: 20_000, currency: 'USD' } };
      expect(await play(release, 'simulate_delivery', tooMuch)).toMatchObject({ error: 'INVALID_PARAMS' });
      expect(await deliveryOf(media_buy_id)).toMatchObject({ impressions: 20_000 });
    });

    it('has it spend up to a share of the budget, to the last of it, and never gives any back', async () => {
      const media_buy_id = await booked(release);
      const spend = (spend_percentage: number) =>
        play(release, 'simulate_budget_spend', { media_buy_id, spend_percentage });
      expect(await spend(95)).toMatchObject({
        simulated: { spend_percentage: 95, computed_spend: { amount: 19_000 }, budget: { amount: 20_000 } },
      });
      expect(await deliveryOf(media_buy_id)).toMatchObject({ spend: 19_000 });
      expect(await spend(95)).toMatchObject({ success: true });
      expect(await deliveryOf(media_buy_id)).toMatchObject({ spend: 19_000 });
      expect(await spend(100)).toMatchObject({ success: true });
      expect(await deliveryOf(media_buy_id)).toMatchObject({ spend: 20_000 });
      expect(await spend(50)).toMatchObject({ success: false, error: 'INVALID_STATE' });
    });
  });

  describe('[D4.tested] for fixtures', () => {
    const release = '3.1';
    it('puts products with prices and formats over the catalog, to be found and booked, of this organization alone', async () => {
      const [product_id, pricing_option_id] = [`seeded_${release.replace('.', '')}`, 'seeded_price'];
      const format_ids = [{ id: `video_seeded_${release.replace('.', '')}` }];
      const fixture = { name: 'Seeded', delivery_type: 'guaranteed', channels: ['olv'], format_ids };
      const before = at.core.catalog.products.size;
      expect(await play(release, 'seed_product', { product_id, fixture })).toMatchObject({ success: true });
      const price = { pricing_model: 'cpm', currency: 'USD', fixed_price: 22 };
      const priced = { product_id, pricing_option_id, fixture: price };
      expect(await play(release, 'seed_pricing_option', priced)).toMatchObject({ success: true });
      expect(await play(release, 'seed_pricing_option', priced)).toMatchObject({ success: true });

      const wanted = {
        buying_mode: 'brief',
        brief: 'seeded video',
        account: sandbox,
        filters: { delivery_type: 'guaranteed' },
      };
      const { products } = (await ask(release, 'get_products', wanted)) as { products: Json[] };
      const found = products.find((one) => one['product_id'] === product_id);
      expect(found).toMatchObject({ name: 'Seeded', format_ids: [{ id: format_ids[0]?.id }] });
      expect(found?.['pricing_options']).toMatchObject([{ pricing_option_id, fixed_price: 22 }]);
      const { formats } = await ask(release, 'list_creative_formats', { format_ids: found?.['format_ids'] });
      expect(formats).toHaveLength(1);
      const media_buy_id = await booked(release, { packages: [{ product_id, pricing_option_id, budget: 5000 }] });
      expect(await readBuy(release, media_buy_id)).toMatchObject({ packages: [{ product_id }], total_budget: 5000 });

      expect(at.core.catalog.products.size).toBe(before);
      const other = { ...at, apiKey: await strangerAt(at) };
      const asked = { adcp_version: release, buying_mode: 'wholesale', pagination: { max_results: 100 } };
      const offered = bodyOf(await callPublic(other, 'get_products', asked))['products'] as Json[];
      expect(offered.map((one) => one['product_id'])).not.toContain(product_id);
      const order = { adcp_version: release, ...orderOf({ product_id, pricing_option_id, budget: 5000 }) };
      expect(bodyOf(await callPublic(other, 'create_media_buy', order))).toMatchObject({
        adcp_error: { code: 'PRODUCT_NOT_FOUND' },
      });
    });

    it('puts creatives into the library, and moves them by their table with the reason told', async () => {
      const creative_id = `seeded-${release}`;
      const fixture = { status: 'approved', format_id: { id: 'display_static' } };
      expect(await play(release, 'seed_creative', { creative_id, fixture })).toMatchObject({ success: true });
      expect(await play(release, 'seed_creative', { creative_id, fixture })).toMatchObject({ success: true });
      const read = async () => {
        const filters = {
          creative_ids: [creative_id],
          statuses: ['approved', 'rejected', 'archived', 'pending_review'],
        };
        return ((await ask(release, 'list_creatives', { filters }))['creatives'] as Json[])[0];
      };
      expect(await read()).toMatchObject({ status: 'approved', format_id: { id: 'display_static' } });
      const back = await play(release, 'force_creative_status', { creative_id, status: 'processing' });
      expect(back).toMatchObject({ success: false, error: 'INVALID_TRANSITION', current_state: 'approved' });
      const gone = await play(release, 'force_creative_status', { creative_id, status: 'archived' });
      expect(gone).toMatchObject({ previous_state: 'approved', current_state: 'archived' });

      const second = { creative_id: `second-${release}`, fixture: { status: 'pending_review' } };
      await play(release, 'seed_creative', second);
      const why = { creative_id: second.creative_id, status: 'rejected', rejection_reason: 'too loud' };
      expect(await play(release, 'force_creative_status', why)).toMatchObject({ current_state: 'rejected' });
    });

    it('[D4.creatives] moves the creative of the sandbox account that has its own, and none of a live account', async () => {
      const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
      const synced = async (account: Json, creative_id: string) => {
        const creatives = [{ ...example.creatives[0], creative_id }];
        await ask(release, 'sync_creatives', { account, idempotency_key: randomUUID(), creatives });
      };
      const [own, live] = [`own-${release}`, `live-${release}`];
      const of = (creative_id: string) => ({ creative_id, status: 'archived' });
      await play(release, 'seed_creative', { creative_id: own, fixture: { status: 'approved' } });
      await synced(sandbox, own);
      await synced(accountOf('acme.example'), live);
      expect(await play(release, 'force_creative_status', of(own))).toMatchObject({ current_state: 'archived' });
      const filters = { creative_ids: [own], statuses: ['archived', 'approved'] };
      const { creatives } = await ask(release, 'list_creatives', { filters });
      const stands = Object.fromEntries(
        (creatives as Json[]).map(({ account, status }) => [account === undefined ? 'shared' : 'own', status]),
      );
      expect(stands).toEqual({ own: 'archived', shared: 'approved' });
      expect(await play(release, 'force_creative_status', of(live))).toMatchObject({ error: 'NOT_FOUND' });
    });

    it('[D4.seeded] books media buys under ids of its own, once each, that are read, listed, changed and canceled as any other', async () => {
      const media_buy_id = 'seeded_mb_1';
      const fixture = { status: 'active', currency: 'USD', total_budget: 25_000 };
      const account = { ...accountOf('seeding.example'), sandbox: true };
      const seed = (more: Json = {}, of: Json = account) =>
        play(release, 'seed_media_buy', { media_buy_id, fixture: { ...fixture, ...more } }, of);
      expect(await seed()).toMatchObject({ success: true, message: `the media buy ${media_buy_id} is active` });
      const first = await readBuy(release, media_buy_id);
      expect(first).toMatchObject({ media_buy_id, status: 'active', total_budget: 25_000, currency: 'USD' });
      expect(await seed()).toMatchObject({ success: true });
      expect(await readBuy(release, media_buy_id)).toEqual({ ...first, status_as_of: expect.any(String) as unknown });

      const ordered = await at.core.sales.adServer.read(MediaBuyId.parse(media_buy_id));
      expect(ordered).toMatchObject({ found: true, state: 'running' });
      const listed = await ask(release, 'get_media_buys', { account, pagination: { max_results: 50 } });
      expect((listed['media_buys'] as Json[]).map((one) => one['media_buy_id'])).toEqual([media_buy_id]);

      const spent = { media_buy_id, impressions: 1000, reported_spend: { amount: 20, currency: 'USD' } };
      expect(await play(release, 'simulate_delivery', spent, account)).toMatchObject({ success: true });
      const delivered = await ask(release, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
      expect(delivered).toMatchObject({ media_buy_deliveries: [{ totals: { impressions: 1000, spend: 20 } }] });

      const [line] = first?.['packages'] as Json[];
      const key = () => ({ idempotency_key: randomUUID(), account, media_buy_id });
      const packages = [{ package_id: line?.['package_id'], budget: 26_000 }];
      expect(await ask(release, 'update_media_buy', { ...key(), packages })).toMatchObject({ status: 'completed' });
      expect(await readBuy(release, media_buy_id)).toMatchObject({ total_budget: 26_000 });
      await ask(release, 'update_media_buy', { ...key(), canceled: true });
      expect(await readBuy(release, media_buy_id)).toMatchObject({ status: 'canceled' });
      expect(await seed()).toMatchObject({ error: 'INVALID_TRANSITION', current_state: 'canceled' });
    });

    it('[D4.seeded] takes no id for a media buy that is made here, or that means another one, and nothing that is not sold', async () => {
      const id = 'seeded-mb-2';
      const account = { ...accountOf('seeding-two.example'), sandbox: true };
      const seed = (media_buy_id: string, fixture: Json = {}, of: Json = account) =>
        play(release, 'seed_media_buy', { media_buy_id, fixture }, of);
      const made = await booked(release);
      const wrong: [string, Json, string][] = [
        [made, {}, 'params.media_buy_id'],
        [`mb_${'0'.repeat(32)}`, {}, 'params.media_buy_id'],
        ['a b', {}, 'params.media_buy_id'],
        [id, { packages: [{ product_id: 'none' }] }, 'params.fixture.packages.0.product_id'],
        [
          id,
          { packages: [{ product_id: line['product_id'], package_id: 'p' }] },
          'params.fixture.packages.0.package_id',
        ],
        [id, { currency: 'XXX' }, 'params.fixture.currency'],
        [id, { end_time: '2020-01-01T00:00:00Z' }, 'end_time'],
        [id, { total_budget: 0.001 }, 'budget'],
      ];
      for (const [media_buy_id, fixture, field] of wrong) {
        const why = await seed(media_buy_id, fixture);
        expect(why).toMatchObject({ success: false, error: 'INVALID_PARAMS' });
        expect(why['error_detail']).toContain(field);
      }
      expect(await seed(id, {}, accountOf('seeding-two.example'))).toMatchObject({ error: 'FORBIDDEN' });
      expect(
        await ask(release, 'comply_test_controller', { scenario: 'seed_media_buy', params: { media_buy_id: id } }),
      ).toMatchObject({ error: 'INVALID_PARAMS' });
      expect(await readAs(at, id)).toMatchObject({ adcp_error: { code: 'MEDIA_BUY_NOT_FOUND' } });
      const { accounts } = await ask(release, 'list_accounts', { pagination: { max_results: 100 } });
      expect(JSON.stringify(accounts)).not.toContain('seeding-two.example');

      const unknown = await readAs(at, id);
      expect(await seed(id)).toMatchObject({ success: true });
      expect(await seed(id, {}, sandbox)).toMatchObject({ error: 'INVALID_STATE' });
      const other = { ...at, apiKey: await strangerAt(at) };
      expect(await readAs(other, id)).toEqual(unknown);
      const taken = { adcp_version: release, account, scenario: 'seed_media_buy', params: { media_buy_id: id } };
      expect(bodyOf(await callPublic(other, 'comply_test_controller', taken))).toMatchObject({
        error: 'INVALID_STATE',
      });
    });

    it('refuses fixtures of what is not sold here', async () => {
      const product_id = String(line['product_id']);
      const wrong = { product_id, pricing_option_id: 'x', fixture: { pricing_model: 'cpa', fixed_price: 1 } };
      expect(await play(release, 'seed_pricing_option', wrong)).toMatchObject({ error: 'INVALID_PARAMS' });
      const nowhere = { ...wrong, product_id: 'none' };
      expect(await play(release, 'seed_pricing_option', nowhere)).toMatchObject({ error: 'NOT_FOUND' });
      const live = accountOf('seeding-live.example');
      await opened(release, live);
      expect(await play(release, 'seed_product', { product_id: 'x' }, live)).toMatchObject({ error: 'FORBIDDEN' });
    });
  });

  describe.each(RELEASES)('[D4.forced] in %s', (release) => {
    const domain = `forcing-${release.replace('.', '')}.example`;
    const account = { ...accountOf(domain), sandbox: true };
    const order = (of: Json = account) => orderOf(line, { account: of });
    it('answers the next booking of the account, and that alone, as one that waits, in a task of the test’s id', async () => {
      const [task_id, message] = [`task_forced_${release.replace('.', '_')}`, 'Awaiting the signature'];
      const forced = await play(release, 'force_create_media_buy_arm', { arm: 'submitted', task_id, message }, account);
      expect(forced).toMatchObject({ success: true, forced: { arm: 'submitted', task_id } });
      const elsewhere = await ask(release, 'create_media_buy', order({ ...account, operator: 'other.example' }));
      expect(elsewhere).toHaveProperty('media_buy_id');
      const live = await ask(release, 'create_media_buy', order(accountOf(domain)));
      expect(live).toHaveProperty('media_buy_id');
      const wrong = { ...order(), end_time: '2020-01-01T00:00:00Z' };
      expect(await ask(release, 'create_media_buy', wrong)).toHaveProperty('adcp_error');

      receiver.received.length = 0;
      const asked = { ...order(), push_notification_config: { url: receiver.url('/news') } };
      const answer = await ask(release, 'create_media_buy', asked);
      expect(answer).toMatchObject({ status: 'submitted', task_id, message });
      expect(answer).not.toHaveProperty('media_buy_id');
      expect(await ask(release, 'create_media_buy', asked)).toMatchObject({ status: 'submitted', task_id, message });
      expect(await ask(release, 'create_media_buy', order())).toHaveProperty('media_buy_id');

      const other = { ...at, apiKey: await strangerAt(at) };
      const params = { task_id, result: {} };
      const complete = { adcp_version: release, account, scenario: 'force_task_completion', params };
      expect(bodyOf(await callPublic(other, 'comply_test_controller', complete))).toMatchObject({ error: 'NOT_FOUND' });
      await until(async () => (await ask(release, 'get_task_status', { task_id }))['status'] !== 'submitted');
      const done = await until(async () => {
        const told = await play(release, 'force_task_completion', params, account);
        return told['error'] === 'INVALID_STATE' ? undefined : told;
      });
      expect(done).toMatchObject({ success: true, current_state: 'completed' });
      const polled = await ask(release, 'get_task_status', { task_id, include_result: true });
      expect(polled).toMatchObject({ task_id, status: 'completed' });
      const told = await until(() => receiver.received.find(({ body }) => body['status'] === 'completed')?.body);
      expect(webhookErrors(release, told)).toEqual([]);
      expect(told).toMatchObject({ task_id, task_type: 'create_media_buy' });
      const { media_buy_id } = told['result'] as Json;
      expect(await readBuy(release, String(media_buy_id))).toMatchObject({ total_budget: 20_000, packages: [{}] });
      expect(await play(release, 'force_task_completion', params, account)).toMatchObject({
        ...{ success: true, previous_state: 'completed', current_state: 'completed' },
      });
      const again = await play(release, 'force_create_media_buy_arm', { arm: 'submitted', task_id }, account);
      expect(again).toMatchObject({ success: false, error: 'INVALID_STATE' });
    });

    it('lets the next booking wait for the buyer’s answer, and completes it so, too', async () => {
      const of = { ...account, operator: 'asked.example' };
      const message = 'Which invoice address?';
      const forced = await play(release, 'force_create_media_buy_arm', { arm: 'input-required', message }, of);
      expect(forced).toMatchObject({ success: true, forced: { arm: 'input-required' } });
      const answer = bodyOf(await callPublic(at, 'create_media_buy', { adcp_version: release, ...order(of) }));
      expect(answer).toMatchObject({ status: 'input-required', message });
      const { task_id } = answer;
      const done = await play(release, 'force_task_completion', { task_id, result: {} }, of);
      expect(done).toMatchObject({ previous_state: 'input-required', current_state: 'completed' });
    });

    it('refuses ids that are made here or another’s, and tasks that are over otherwise, or are not tested', async () => {
      const arm = 'submitted';
      for (const params of [
        { arm },
        { arm: 'completed', task_id: 'a' },
        { arm, task_id: randomUUID() },
        { arm, task_id: '1 b' },
      ]) {
        const told = await play(release, 'force_create_media_buy_arm', params, account);
        expect(told).toMatchObject({ success: false, error: 'INVALID_PARAMS' });
      }
      const task_id = `task_gone_${release.replace('.', '_')}`;
      const of = { ...account, operator: 'gone.example' };
      await play(release, 'force_create_media_buy_arm', { arm, task_id }, of);
      const other = { ...at, apiKey: await strangerAt(at) };
      const theirs = { scenario: 'force_create_media_buy_arm', params: { arm, task_id } };
      const refused = await callPublic(other, 'comply_test_controller', { adcp_version: release, account, ...theirs });
      expect(bodyOf(refused)).toMatchObject({ success: false, error: 'INVALID_STATE' });
      expect(await ask(release, 'create_media_buy', order(of))).toMatchObject({ status: 'submitted', task_id });
      await at.core.runtime.cancelForSeller(TaskId.parse(task_id), 'no room');
      expect(await play(release, 'force_task_completion', { task_id, result: {} }, of)).toMatchObject({
        ...{ success: false, error: 'INVALID_TRANSITION', current_state: 'canceled' },
      });
      const live = accountOf(domain);
      expect(await play(release, 'force_create_media_buy_arm', { arm, task_id: 'x' }, live)).toMatchObject({
        error: 'FORBIDDEN',
      });
    });
  });

  describe('[D4.forced] the word of a test', () => {
    const org = { organization_id: OrganizationId.parse('org_demo_buyer') };
    const release = '3.1';
    const arm = 'submitted';
    const accountAt = (operator: string) => ({ ...accountOf('forced-word.example'), operator, sandbox: true });
    const book = (account: Json) => ask(release, 'create_media_buy', orderOf(line, { account }));
    async function forced(task_id: string): Promise<Json> {
      const account = accountAt(`${task_id.replaceAll('_', '-')}.example`);
      const told = await play(release, 'force_create_media_buy_arm', { arm, task_id }, account);
      expect(told).toMatchObject({ success: true });
      return account;
    }

    it('of a product that was seeded is undone as it was asked for', async () => {
      const account = await forced('seeded_and_undone');
      await play(release, 'seed_product', { product_id: 'undone', fixture: { name: 'Undone' } }, account);
      const sold = { product_id: 'undone', pricing_option_id: 'default', budget: 20_000 };
      await ask(release, 'create_media_buy', orderOf(sold, { account }));
      const run = await at.core.store.collection(TaskRuns).get(TaskId.parse('seeded_and_undone'));
      const create = at.core.runtime.tasks.get('create_media_buy') as QueuedTask;
      if (run === undefined) throw new Error('no such task');
      // As one that was canceled before its buy was written.
      const canceled = { ...run, task_id: TaskId.parse('undone_unbooked'), state: 'canceled' as const };
      const context = { caller: { ...org, principal_id: 'a', scopes: [] }, now: () => at.core.clock.now() };
      await create.undo?.(run.input, { ...context, run: canceled } as unknown as Parameters<
        NonNullable<typeof create.undo>
      >[1]);
      const buy = await at.core.sales.mediaBuys.get(MediaBuyId.parse(`mb_${partOfIds(canceled.task_id)}`));
      expect(buy).toMatchObject({
        status: 'canceled',
        total_budget_minor: 2_000_000,
        packages: [{ product_name: 'Undone' }],
      });
    });

    it('is left by a booking that the budget of media buys refuses', async () => {
      const account = await forced('over_budget');
      const { budgets } = at.core;
      const one = await budgets.take('media_buys', org.organization_id);
      const rest = await budgets.take('media_buys', org.organization_id, one.left);
      await expect(book(account)).rejects.toThrow('media buys a day');
      await Promise.all([one.giveBack(), rest.giveBack()]);
      expect(await book(account)).toMatchObject({ status: 'submitted', task_id: 'over_budget' });
      expect(await book(account)).toHaveProperty('media_buy_id');
    });

    it('is left by a booking that dies before it is stored, and had by one that dies after', async () => {
      const account = await forced('dead_before');
      const dies = async (moment: 'before' | 'after', task_id: string) => {
        hooks[moment] = ({ collection, key, kind }) => {
          if (collection === TaskRuns.name && key === task_id && kind === 'insert') throw new Error('killed');
        };
        expect(await book(account)).toMatchObject({ adcp_error: { code: 'SERVICE_UNAVAILABLE' } });
        hooks[moment] = () => undefined;
        return at.core.store.collection(TaskRuns).get(TaskId.parse(task_id));
      };
      expect(await dies('before', 'dead_before')).toBeUndefined();
      expect(await book(account)).toMatchObject({ status: 'submitted', task_id: 'dead_before' });
      await play(release, 'force_create_media_buy_arm', { arm, task_id: 'dead_after' }, account);
      expect(await dies('after', 'dead_after')).toBeDefined();
      expect(await book(account)).toHaveProperty('media_buy_id');
    });

    it('is had by one of two bookings at once; the other is told so, and is free the next time', async () => {
      const account = await forced('raced');
      const orders = [0, 1].map(() => orderOf(line, { account }));
      const told = await Promise.all(orders.map((order) => ask(release, 'create_media_buy', order)));
      const isHad = ({ task_id }: Json) => task_id === 'raced';
      expect(told.filter(isHad)).toHaveLength(1);
      const lost = told.findIndex((answer) => !isHad(answer));
      if ('adcp_error' in (told[lost] ?? {})) expect(told[lost]).toMatchObject({ adcp_error: { code: 'CONFLICT' } });
      expect(await ask(release, 'create_media_buy', orders[lost] ?? {})).toHaveProperty('media_buy_id');
      expect(await ask(release, 'create_media_buy', orders[1 - lost] ?? {})).toMatchObject({ task_id: 'raced' });
    });

    it('stands in place of the one before it for the account, and is no other account’s, in whichever process', async () => {
      const here = at.core.tested?.forcedArms;
      if (here === undefined) throw new Error('nothing is tested');
      const tasks = new Set<string>();
      const there = createForcedArms(at.core.store, at.core.clock, (id) => Promise.resolve(tasks.has(id)));
      const of = { organization_id: OrganizationId.parse('org_two_processes'), account_id: 'acc_a' };
      const said = { ...of, arm, message: '' } as const;
      const [first, second] = [TaskId.parse('first'), TaskId.parse('second')];
      expect(await here.force({ ...said, task_id: first })).toBe(true);
      expect(await there.force({ ...said, task_id: second })).toBe(true);
      expect(await here.next({ ...of, account_id: 'acc_b' })).toBeUndefined();
      expect(await here.next({ ...of, organization_id: OrganizationId.parse('org_other') })).toBeUndefined();
      expect(await here.next(of)).toMatchObject({ task_id: second });
      // A booking that was at it all the while is what was said.
      expect(await there.of(first)).toMatchObject({ arm });
      tasks.add(second);
      expect(await there.next(of)).toBeUndefined();
      expect(await there.force({ ...said, task_id: second })).toBe(false);
      expect(await there.of(second)).toMatchObject({ arm });
      // Its task is deleted by then; the id is not used again.
      tasks.clear();
      expect(await there.next(of)).toBeUndefined();
      expect(await there.force({ ...said, task_id: second })).toBe(false);
      expect(await here.force({ ...said, account_id: '', task_id: first })).toBe(true);
      expect(await there.next({ ...of, account_id: 'acc_b' })).toMatchObject({ task_id: first });
    });
  });

  it('[D4.forced] makes ids of a task’s that are nobody else’s, whatever form that has', () => {
    const random = randomUUID();
    expect(partOfIds(TaskId.parse(random))).toBe(random.replaceAll('-', ''));
    const forced = ['a', 'a-1', 'a1', 'a_2', 'A'].map((id) => partOfIds(TaskId.parse(id)));
    expect(new Set(forced).size).toBe(forced.length);
    for (const part of forced) expect(isMadeHere(`mb_${part}`)).toBe(true);
  });

  it('[D4.tested] is a tool of MCP as well, and not one that says it only reads', async () => {
    const listed = await overMcp(at, 'tools/list', {});
    const tool = (listed['tools'] as Json[]).find(({ name }) => name === 'comply_test_controller');
    expect(tool?.['annotations']).toEqual({ readOnlyHint: false, idempotentHint: true });
    const asked = { adcp_version: '3.1', account: sandbox, scenario: 'force_nothing' };
    const told = await overMcp(at, 'tools/call', { name: 'comply_test_controller', arguments: asked });
    expect(told['isError']).not.toBe(true);
    expect(told['structuredContent']).toMatchObject({ success: false, error: 'UNKNOWN_SCENARIO', adcp_version: '3.1' });
  });

  it('[D4.tested] knows nothing of what another organization has', async () => {
    const media_buy_id = await booked('3.1');
    const account_id = await opened('3.1', sandbox);
    const other = { ...at, apiKey: await strangerAt(at) };
    for (const [scenario, params] of [
      ['force_media_buy_status', { media_buy_id, status: 'canceled' }],
      ['force_account_status', { account_id, status: 'closed' }],
    ] as const) {
      const asked = { adcp_version: '3.1', account: sandbox, scenario, params };
      expect(bodyOf(await callPublic(other, 'comply_test_controller', asked))).toMatchObject({ error: 'NOT_FOUND' });
    }
  });
});

describe('without COMPLIANCE_TESTING', () => {
  it('[D4.tested] beside a real ad server, an agent that is to be tested so does not start', async () => {
    const env = { AD_SERVER: 'http', AD_SERVER_URL: 'http://127.0.0.1:9', AD_SERVER_TOKEN: 'x'.repeat(32) };
    await expect(startTestAgent('sqlite', { env: { ...env, COMPLIANCE_TESTING: '1' } })).rejects.toThrow(ConfigError);
  });

  it('[D4.tested] the test controller is neither listed nor there to be called', async () => {
    const at = await startTestAgent('sqlite', { working: false });
    try {
      const card = (await (await fetch(`${at.baseUrl}/.well-known/agent-card.json`)).json()) as { skills: Json[] };
      expect(card.skills.map(({ id }) => id)).not.toContain('comply_test_controller');
      const asked = { adcp_version: '3.1', account: sandbox, scenario: 'list_scenarios' };
      const told = bodyOf(await callPublic(at, 'comply_test_controller', asked));
      expect(told).toMatchObject({ adcp_error: { code: 'UNSUPPORTED_FEATURE' } });
      const can = bodyOf(await callPublic(at, 'get_adcp_capabilities', { adcp_version: '3.1' }));
      expect(can).not.toHaveProperty('compliance_testing');
    } finally {
      await at.stop();
    }
  });
});

/** The schema of 3.0 lists the scenarios that capabilities may name. */
const isNamedIn30 = (name: string) => /^(force_(creative|account|media_buy)_status|simulate_\w+)$/.test(name);

/** What is told of a media buy, without what is another at each call. */
async function readAs(at: TestAgent, media_buy_id: string): Promise<Json> {
  return bodyOf(await callPublic(at, 'get_media_buys', { adcp_version: '3.1', media_buy_ids: [media_buy_id] }));
}

/** A key of another organization. */
async function strangerAt({ core }: TestAgent): Promise<string> {
  const { organization_id } = await addOrganization(core, 'stranger', 'Stranger');
  const keys = core.store.collection(apiKeys);
  return (await createApiKey({ ...core, keys }, { organization_id, name: 'test' })).raw;
}

/** What MCP answers to one message of the generation of 2025. */
async function overMcp({ baseUrl, apiKey }: TestAgent, method: string, params: Json): Promise<Json> {
  const response = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = (await response.text()).replace(/^event: message\ndata: /, '');
  return (JSON.parse(text) as { result: Json }).result;
}
