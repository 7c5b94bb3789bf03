import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release, ShownTask } from './support/public-call.ts';

const DAY_MS = 86_400_000;
const NO_FORMAT = { agent_url: 'https://formats.example', id: 'none' };

interface Offer {
  product_id: string;
  format_ids: { agent_url: string; id: string }[];
  pricing_options: { pricing_option_id: string; fixed_price?: number }[];
}

describeOnStores('a buyer of the public protocol on %s', (store) => {
  let at: TestAgent;
  let fixed: Offer;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { APPROVAL_OVER: 'USD:50000', CREATIVE_REVIEW_SECONDS: '0' } });
    const filters = { is_fixed_price: true, pricing_currencies: ['USD'], delivery_type: 'non_guaranteed' };
    const { body } = await ask('3.1', 'get_products', { buying_mode: 'wholesale', filters });
    const offers = body['products'] as Offer[];
    const found = offers.find((one) => one.pricing_options[0]?.fixed_price !== undefined) ?? offers[0];
    if (found === undefined) throw new Error('nothing is for sale');
    fixed = found;
  });
  afterAll(() => at.stop());

  /** Calls, and holds the answer against the official schema. */
  async function ask(release: Release, skill: string, parameters: Json, more: Json = {}) {
    const task = await callPublic(at, skill, { adcp_version: release, ...parameters }, more);
    const body = bodyOf(task);
    expect(schemaErrors(skill, release, body)).toEqual([]);
    expect(body['adcp_version']).toBe(release);
    return { task, body };
  }

  const account = { brand: { domain: 'Acme.example' }, operator: 'agency.example' };

  function order(more: Json = {}, line: Json = {}): Json {
    const { product_id, pricing_options } = fixed;
    const option = pricing_options.find((one) => one.fixed_price !== undefined) ?? pricing_options[0];
    const pricing_option_id = option?.pricing_option_id;
    return {
      ...{ account, brand: { domain: 'acme.example' }, idempotency_key: randomUUID() },
      ...{ start_time: 'asap', end_time: new Date(Date.now() + 20 * DAY_MS).toISOString() },
      packages: [{ product_id, pricing_option_id, budget: 20_000, bid_price: 3, context: { line: 'one' }, ...line }],
      ...more,
    };
  }

  const change = (media_buy_id: unknown, more: Json): Json => ({
    ...{ account, media_buy_id, idempotency_key: randomUUID() },
    ...more,
  });

  describe.each(RELEASES)('[D3.changes] [D3.schema] in %s', (release) => {
    it('books, reads, changes and cancels a media buy', async () => {
      const brand = { domain: 'acme.example', brand_id: 'spring' };
      const { body: made } = await ask(release, 'create_media_buy', order({ brand, po_number: 'PO-1' }));
      const { media_buy_id, packages } = made as { media_buy_id: string; packages: Json[] };
      expect(made).toMatchObject({
        ...{ media_buy_status: 'pending_creatives', total_budget: 20_000, currency: 'USD' },
        status: release === '3.0' ? 'pending_creatives' : 'completed',
        account: { account_id: expect.stringMatching(/^acc_/) as unknown, brand: { domain: 'acme.example' } },
      });
      expect(packages).toMatchObject([{ budget: 20_000, context: { line: 'one' }, creative_assignments: [] }]);
      const [{ package_id }] = packages as [{ package_id: string }];

      const { account_id } = made['account'] as { account_id: string };
      const { body: read } = await ask(release, 'get_media_buys', {
        ...{ account: { account_id }, media_buy_ids: [media_buy_id], include_history: 9 },
      });
      const [row] = read['media_buys'] as Json[];
      expect(row).toMatchObject({ media_buy_id, status: 'pending_creatives', packages: [{ package_id }] });
      expect((row?.['history'] as Json[])[0]).toMatchObject({ action: 'created', actor: 'buyer', revision: 1 });

      const { body: cut } = await ask(
        release,
        'update_media_buy',
        change(media_buy_id, { revision: row?.['revision'], packages: [{ package_id, budget: 15_000, bid_price: 9 }] }),
      );
      expect(cut).toMatchObject({ total_budget: 15_000, affected_packages: [{ package_id, budget: 15_000 }] });
      const { body: stale } = await ask(
        release,
        'update_media_buy',
        change(media_buy_id, { revision: row?.['revision'], packages: [{ package_id, budget: 9_000 }] }),
      );
      expect(stale).toMatchObject({ adcp_error: { code: 'CONFLICT', field: 'revision', recovery: 'transient' } });

      const { body: asWanted } = await ask(release, 'update_media_buy', change(media_buy_id, { paused: false }));
      expect(asWanted).toMatchObject({ media_buy_status: 'pending_creatives', affected_packages: [] });
      expect(asWanted['revision']).toBe(cut['revision']);

      const { body: delivered } = await ask(release, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
      expect(delivered).toMatchObject({ currency: 'USD', media_buy_deliveries: [{ status: 'pending_creatives' }] });

      const { body: over } = await ask(
        release,
        'update_media_buy',
        change(media_buy_id, { canceled: true, paused: true }),
      );
      expect(over).toMatchObject({ media_buy_status: 'canceled', cancellation: { canceled_by: 'buyer' } });
      const { body: again } = await ask(release, 'update_media_buy', change(media_buy_id, { canceled: true }));
      expect(again).toMatchObject({ adcp_error: { code: 'NOT_CANCELLABLE', recovery: 'correctable' } });
      const { body: listed } = await ask(release, 'get_media_buys', { account, status_filter: ['canceled'] });
      expect((listed['media_buys'] as Json[]).map((one) => one['media_buy_id'])).toContain(media_buy_id);
    });

    it('stores creatives, assigns them, and lists them', async () => {
      const { body: made } = await ask(release, 'create_media_buy', order());
      const [{ package_id }] = made['packages'] as [{ package_id: string }];
      const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
      const [sample] = example.creatives;
      const creative_id = `c-${release}-${store}`;
      const wrong = {
        creative_id: 'wrong',
        name: 'x',
        format_id: { agent_url: `${at.baseUrl}/`, id: 'none' },
        assets: {},
      };
      const { body: synced } = await ask(release, 'sync_creatives', {
        ...{ account, idempotency_key: randomUUID() },
        creatives: [{ ...sample, creative_id }, wrong],
        assignments: [{ creative_id, package_id }],
        validation_mode: 'lenient',
      });
      expect(synced['creatives']).toMatchObject([
        { creative_id, action: 'created' },
        {
          ...{ creative_id: 'wrong', action: 'failed' },
          errors: [{ code: release === '3.0' ? 'REFERENCE_NOT_FOUND' : 'FORMAT_NOT_SUPPORTED' }],
        },
      ]);
      const { body: listed } = await ask(release, 'list_creatives', { filters: { creative_ids: [creative_id] } });
      expect(listed['creatives']).toMatchObject([{ creative_id, name: sample?.['name'] }]);
    });

    it.each([
      ['wrong', 'creatives[1].format_id', (good: Json) => ({ ...good, creative_id: 'bad', format_id: NO_FORMAT })],
      ['twice', 'creatives[1].creative_id', (good: Json) => good],
    ])(
      '[B11] refuses them all where one is %s, unless it asks for lenience, and stores none',
      async (_, field, bad) => {
        const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
        const good = { ...example.creatives[0], creative_id: `strict-${release}` };
        const { body } = await ask(release, 'sync_creatives', {
          ...{ account, idempotency_key: randomUUID(), creatives: [good, bad(good)] },
        });
        expect(body).toMatchObject({ status: 'failed', adcp_error: { field } });
        const filters = { creative_ids: [`strict-${release}`] };
        expect((await ask(release, 'list_creatives', { filters })).body['creatives']).toEqual([]);
      },
    );

    it('[D2] is told that a person decides, by the task of that, and the same again', async () => {
      const { product_id } = fixed;
      const asked = order({}, { product_id, budget: 60_000 });
      const { body } = await ask(release, 'create_media_buy', asked);
      expect(body).toMatchObject({ status: 'submitted', task_id: expect.any(String) as unknown });
      expect(body).not.toHaveProperty('media_buy_id');
      const { body: standing } = await ask(release, 'get_task_status', { task_id: body['task_id'] });
      expect(standing).toMatchObject({ task_type: 'create_media_buy', status: 'working' });

      const { rows } = await at.core.approvals.list({}, { limit: 100 });
      const approval = rows.find((one) => one.task_id === body['task_id']);
      await at.core.approvals.approve(approval?.approval_id ?? '', { by: 'Ada' });
      const told = { task_id: body['task_id'], include_result: true };
      await until(async () => (await ask('3.1', 'get_task_status', told)).body['status'] === 'completed');
      const { body: done } = await ask(release, 'get_task_status', told);
      expect(done).toMatchObject({ result: { media_buy_status: 'pending_creatives', total_budget: 60_000 } });
      const { body: again } = await ask(release, 'create_media_buy', asked);
      expect(again).toMatchObject({ status: 'submitted', task_id: body['task_id'], replayed: true });
    });
  });

  it('[D2] the same request under one key is one buy, told as at first with the new context', async () => {
    const asked = order();
    const first = await ask('3.1', 'create_media_buy', { ...asked, context: { n: 1 } });
    const again = await ask('3.0', 'create_media_buy', { ...asked, context: { n: 2 } });
    expect(again.body).toMatchObject({ media_buy_id: first.body['media_buy_id'], replayed: true, context: { n: 2 } });
    const other = await callPublic(at, 'create_media_buy', { adcp_version: '3.1', ...asked, po_number: 'other' });
    const { adcp_error } = bodyOf(other) as { adcp_error: Json };
    expect(Object.keys(adcp_error).sort()).toEqual(['code', 'message', 'recovery']);
    expect(adcp_error['code']).toBe('IDEMPOTENCY_CONFLICT');
  });

  it('[D4] what is bought under one account is not seen under another, nor changed', async () => {
    const { body } = await ask('3.1', 'create_media_buy', order());
    const { media_buy_id } = body;
    const other = { brand: { domain: 'other.example' }, operator: 'agency.example' };
    const rows = await ask('3.1', 'get_media_buys', { account: other, media_buy_ids: [media_buy_id] });
    expect(rows.body['media_buys']).toEqual([]);
    for (const [skill, more] of [
      ['update_media_buy', change(media_buy_id, { account: other, paused: true })],
      ['get_media_buy_delivery', { account: other, media_buy_ids: [media_buy_id] }],
    ] as const) {
      const refused = await callPublic(at, skill, { adcp_version: '3.1', ...more });
      expect(bodyOf(refused)).toMatchObject({ adcp_error: { code: 'MEDIA_BUY_NOT_FOUND' } });
    }
    const unknown = await callPublic(at, 'create_media_buy', {
      adcp_version: '3.1',
      ...order({ account: { account_id: 'x' } }),
    });
    expect(bodyOf(unknown)).toMatchObject({ adcp_error: { code: 'ACCOUNT_NOT_FOUND', recovery: 'terminal' } });
  });

  it.each([
    ['no key', { idempotency_key: undefined }, {}, 'INVALID_REQUEST', 'idempotency_key'],
    ['no account', { account: undefined }, {}, 'VALIDATION_ERROR', 'account'],
    ['an account of nobody', { account: {} }, {}, 'INVALID_REQUEST', 'account'],
    ['no packages', { packages: [] }, {}, 'INVALID_REQUEST', 'packages'],
    ['a time without its offset', { end_time: '2030-01-01T00:00:00' }, {}, 'VALIDATION_ERROR', 'end_time'],
    ['nothing to spend', {}, { budget: 0, product_id: 'none' }, 'INVALID_REQUEST', 'packages[0].budget'],
    ['an unknown product', {}, { product_id: 'none' }, 'PRODUCT_NOT_FOUND', 'packages[0].product_id'],
    ['an unknown price', {}, { pricing_option_id: 'none' }, 'INVALID_REQUEST', 'packages[0].pricing_option_id'],
    [
      'an unknown creative',
      {},
      { creative_assignments: [{ creative_id: 'none' }] },
      'CREATIVE_NOT_FOUND',
      'packages[0].creative_assignments[0].creative_id',
    ],
    ['a cap that nobody keeps', {}, { daily_budget_cap: 5 }, 'UNSUPPORTED_FEATURE', 'packages[0].daily_budget_cap'],
    ['another pace', {}, { pacing: 'front_loaded' }, 'UNSUPPORTED_FEATURE', 'packages[0].pacing'],
    ['a goal', {}, { optimization_goals: [{ kind: 'x' }] }, 'UNSUPPORTED_FEATURE', 'packages[0].optimization_goals'],
    ['terms of its own', {}, { measurement_terms: { x: 1 } }, 'TERMS_REJECTED', 'packages[0].measurement_terms'],
    ['a catalog', {}, { catalogs: [{ type: 'product' }] }, 'UNSUPPORTED_FEATURE', 'packages[0].catalogs'],
    [
      'a commitment',
      {},
      { committed_metrics: [{ scope: 'standard', metric_id: 'clicks' }] },
      'UNSUPPORTED_FEATURE',
      'packages[0].committed_metrics',
    ],
    [
      'a package of a flight that is no part of its own',
      {},
      { start_time: '2030-01-01T00:00:00Z' },
      'INVALID_REQUEST',
      'packages[0].start_time',
    ],
    ['too much to keep', {}, { context: { text: 'x'.repeat(40_000) } }, 'INVALID_REQUEST', 'packages'],
    ['a proposal', { proposal_id: 'p' }, {}, 'PROPOSAL_NOT_FOUND', 'proposal_id'],
    [
      'a webhook that leads nowhere',
      { push_notification_config: { url: 'ftp://x.example/' } },
      {},
      'INVALID_REQUEST',
      'push_notification_config.url',
    ],
    ['a webhook that is none', { push_notification_config: 'x' }, {}, 'INVALID_REQUEST', 'push_notification_config'],
    [
      'reports at no time',
      { reporting_webhook: { url: 'https://x.example/', reporting_frequency: 'weekly' } },
      {},
      'VALIDATION_ERROR',
      'reporting_webhook.reporting_frequency',
    ],
  ])(
    '[D2.errors] [D4.refused] a buy with %s is refused by name, and nothing is booked',
    async (_, more, line, code, field) => {
      const before = await at.core.sales.mediaBuys.count({});
      const task = await callPublic(
        at,
        'create_media_buy',
        JSON.parse(JSON.stringify({ adcp_version: '3.1', ...order(more, line) })) as Json,
      );
      expect(bodyOf(task)).toMatchObject({ status: 'failed', adcp_error: { code, field } });
      expect(await at.core.sales.mediaBuys.count({})).toBe(before);
    },
  );

  it.each<[string, (package_id: string) => Json, string]>([
    ['nothing', () => ({}), 'packages'],
    ['nothing of a package that it has not', () => ({ packages: [{ package_id: 'none' }] }), 'packages[0].package_id'],
    ['an end of one package', (package_id) => ({ packages: [{ package_id, canceled: true }] }), 'packages[0].canceled'],
    ['an undoing', () => ({ canceled: false }), 'canceled'],
    ['catalogs', (package_id) => ({ packages: [{ package_id, catalogs: [{}] }] }), 'packages[0].catalogs'],
    ['a reason too long', () => ({ canceled: true, cancellation_reason: 'x'.repeat(501) }), 'cancellation_reason'],
  ])('[D4.refused] a change by %s is refused by name', async (_, more, field) => {
    const { body } = await ask('3.1', 'create_media_buy', order());
    const [{ package_id }] = body['packages'] as [{ package_id: string }];
    const task = await callPublic(at, 'update_media_buy', {
      adcp_version: '3.1',
      ...change(body['media_buy_id'], more(package_id)),
    });
    expect(bodyOf(task)).toMatchObject({ status: 'failed', adcp_error: { field } });
  });

  it('[B11] what is missing of a part is not taken for gone', async () => {
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    const creative_ids = [example.creatives[0]?.['creative_id']];
    const asked = { account, idempotency_key: randomUUID(), ...example, delete_missing: true, creative_ids };
    const part = await ask('3.1', 'sync_creatives', asked);
    expect(part.body).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'delete_missing' } });
  });

  it('[D2.errors] what is wrong with one package is told where that stands, behind one that is as it is wanted', async () => {
    const [line] = order()['packages'] as Json[];
    const { body } = await ask('3.1', 'create_media_buy', order({ packages: [line, line] }));
    const [one, two] = body['packages'] as { package_id: string }[];
    const packages = [
      { package_id: one?.package_id, paused: false },
      { package_id: two?.package_id, creative_assignments: [{ creative_id: 'none' }] },
    ];
    const refused = await ask('3.1', 'update_media_buy', change(body['media_buy_id'], { packages }));
    const field = 'packages[1].creative_assignments[0].creative_id';
    expect(refused.body).toMatchObject({ adcp_error: { code: 'CREATIVE_NOT_FOUND', field } });
    const asWanted = [one, two].map((each) => ({ package_id: each?.package_id, paused: false }));
    const same = await ask('3.1', 'update_media_buy', change(body['media_buy_id'], { packages: asWanted }));
    expect(same.body).toMatchObject({ affected_packages: [], revision: body['revision'] });
  });

  it('[D2.errors] delivery of what is in several currencies is not told of some: each is to be named', async () => {
    const { products } = at.core.catalog;
    const lines = ['USD', 'EUR'].flatMap((wanted) =>
      [...products.values()]
        .flatMap(({ product_id, pricing_options }) =>
          pricing_options.flatMap(({ currency, pricing_model, pricing_option_id }) =>
            currency === wanted && pricing_model === 'cpm' ? [{ product_id, pricing_option_id, budget: 20_000 }] : [],
          ),
        )
        .slice(0, 1),
    );
    const own = { ...account, operator: `two-${randomUUID().slice(0, 8)}.example` };
    expect(lines).toHaveLength(2);
    for (const line of lines) await ask('3.1', 'create_media_buy', order({ account: own, packages: [line] }));
    const asked = { account: own, status_filter: ['pending_creatives'] };
    const all = await callPublic(at, 'get_media_buy_delivery', { adcp_version: '3.1', ...asked });
    expect(bodyOf(all)).toMatchObject({
      adcp_error: {
        ...{ code: 'INVALID_REQUEST', field: 'media_buy_ids' },
        message: expect.stringContaining('(EUR, USD)') as string,
      },
    });
    const { body: read } = await ask('3.1', 'get_media_buys', asked);
    const [euro] = (read['media_buys'] as Json[]).filter(({ currency }) => currency === 'EUR');
    const media_buy_ids = [euro?.['media_buy_id']];
    const one = await ask('3.1', 'get_media_buy_delivery', { account: own, media_buy_ids });
    expect(one.body).toMatchObject({ currency: 'EUR', media_buy_deliveries: [{ media_buy_id: media_buy_ids[0] }] });
  });

  it('[D1] a buy of each dialect is read in the other', async () => {
    const { body } = await ask('3.1', 'create_media_buy', order());
    const ours = await send(at, 'get_media_buys', { media_buy_ids: [body['media_buy_id']] });
    const shown = bodyOf(ours.result?.['task'] as ShownTask) as { media_buys: Json[] };
    expect(shown.media_buys).toMatchObject([
      { status: 'pending', pending_reason: 'creatives', packages: [{ buyer_ref: 'p0' }] },
    ]);
    expect(shown.media_buys[0]).not.toHaveProperty('asked');
  });
});
