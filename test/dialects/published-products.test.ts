import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/platform/crypto/canonical-json.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { accountOf } from './support/booking.ts';
import { bodyOf, callPublic, OFFICIAL, schemaErrors, webhookErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const errorsOf = OFFICIAL['3.2'];
const account = accountOf('acme.example');

interface Price {
  pricing_option_id: string;
  currency: string;
  fixed_price?: number;
}
interface Listed {
  outcome: string;
  feed_version: string;
  next_cursor?: string;
  products: { product_id: string; pricing_options: Price[]; format_options?: { format_kind: string }[] }[];
}

describeOnStores('products as they are published, on %s', (store) => {
  let at: TestAgent;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
    at = await startTestAgent(store, { env: { APPROVAL_OVER: 'USD:50000', CREATIVE_REVIEW_SECONDS: '0' } });
  });
  afterAll(async () => {
    await at.stop();
    await receiver.close();
  });

  /** Calls by a request that the official schema takes, and holds the answer against its own. */
  async function ask(skill: string, request: Json, isOdd = false): Promise<Json> {
    const sent = JSON.parse(JSON.stringify({ adcp_version: '3.2', ...request })) as Json;
    const file = `media-buy/${skill.replaceAll('_', '-')}-request.json`;
    if (!isOdd) expect(errorsOf(file, sent)).toEqual([]);
    const body = bodyOf(await callPublic(at, skill, sent));
    // The list has no form for a refusal.
    if (skill !== 'list_products' || body['adcp_error'] === undefined)
      expect(schemaErrors(skill, '3.2', body)).toEqual([]);
    return body;
  }

  const list = async (request: Json = {}) => (await ask('list_products', request)) as unknown as Listed;

  async function offer(): Promise<{ feed_version: string; line: Json; price: Price }> {
    const offer_filters = { is_fixed_price: true, pricing_currencies: ['USD'], delivery_type: 'non_guaranteed' };
    const { products, feed_version } = await list({ criteria: { offer_filters } });
    const [product] = products;
    const price = product?.pricing_options.find((one) => one.fixed_price !== undefined);
    if (product === undefined || price === undefined) throw new Error('nothing is for sale at a fixed price');
    const line = { product_id: product.product_id, pricing_option_id: price.pricing_option_id, budget: 20_000 };
    return { feed_version, line, price };
  }

  async function order(purchase: Json = {}, more: Json = {}): Promise<Json> {
    const { feed_version, line } = await offer();
    return {
      ...{ account, idempotency_key: randomUUID(), feed_version, purchases: [{ ...line, ...purchase }] },
      ...{ start_time: 'asap', end_time: new Date(Date.now() + 20 * 86_400_000).toISOString() },
      ...more,
    };
  }

  describe('[D3.products] list_products', () => {
    it('lists the catalog page by page, in canonical words alone', async () => {
      const whole = await list({ max_results: 100 });
      expect(whole).toMatchObject({ outcome: 'listed', cache_scope: 'account' });
      expect(whole).not.toHaveProperty('status');
      expect(JSON.stringify(whole)).not.toMatch(/format_ids|v1_format_ref/);
      const seen: string[] = [];
      for (let cursor: string | undefined, pages = 0; pages < 100; pages++) {
        const page = await list({ max_results: 2, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.products.map(({ product_id }) => product_id));
        cursor = page.next_cursor;
        if (cursor === undefined) break;
        expect(page.products).toHaveLength(2);
      }
      expect(seen).toEqual(whole.products.map(({ product_id }) => product_id));
    });

    it('finds by ids and by offer filters, with full pages, and shows the fields that are asked for', async () => {
      const { products } = await list({ max_results: 100 });
      const [, second] = products;
      const product_ids = [second?.product_id, 'no-such-product'];
      const named = await list({ criteria: { product_ids }, fields: ['channels'], max_results: 1 });
      expect(named.products).toEqual([
        { product_id: second?.product_id, name: expect.any(String) as string, channels: expect.any(Array) as string[] },
      ]);
      const images = await list({ criteria: { offer_filters: { format_kinds: ['image'] } }, max_results: 100 });
      const isImage = ({ format_options = [] }: Listed['products'][number]) =>
        format_options.some(({ format_kind }) => format_kind === 'image');
      expect(images.products.map(({ product_id }) => product_id)).toEqual(
        products.filter(isImage).map(({ product_id }) => product_id),
      );
    });

    it('says by its version that nothing has changed, which the wholesale mode of get_products calls by the same', async () => {
      const { feed_version } = await list();
      expect(await list({ if_feed_version: feed_version })).toMatchObject({ outcome: 'unchanged', feed_version });
      expect(await list({ if_feed_version: 'another' })).toMatchObject({ outcome: 'listed', feed_version });
      const wholesale = { adcp_version: '3.2', buying_mode: 'wholesale' };
      const told = bodyOf(await callPublic(at, 'get_products', wholesale));
      expect(told).toMatchObject({ wholesale_feed_version: feed_version });
    });

    it('names a filter that nothing here can be shown to meet, and finds nothing by it', async () => {
      const found = await list({ criteria: { offer_filters: { exclusivity: 'exclusive' } } });
      expect(found).toMatchObject({ products: [], ext: { unmet_filters: ['exclusivity'] } });
    });

    it.each([
      ['criteria', { criteria: { targeting_overlay: { geo_countries: ['US'] } } }, 'criteria.targeting_overlay'],
      ['a cursor of no such list', { cursor: 'made-up' }, 'cursor'],
      [
        'an odd budget',
        { criteria: { offer_filters: { budget_range: { min: 9, max: 1, currency: 'USD' } } } },
        'criteria.offer_filters.budget_range.max',
      ],
    ])('refuses %s by its path', async (_, request, field) => {
      const body = await ask('list_products', request);
      expect(body).toMatchObject({ status: 'failed', adcp_error: { field } });
    });
  });

  describe('[D3.changes] buy_products', () => {
    it('books at the published terms, and tells them with their digest', async () => {
      const { price } = await offer();
      const said = { context: { row: 1 }, pacing: 'even', targeting_overlay: { geo_countries: ['US'] } };
      const bought = await ask(
        'buy_products',
        await order(said, {
          ...{ name: 'Spring in the hills', purchase_order_ref: 'PO-7' },
          total_budget: { amount: 20_000, currency: 'USD' },
        }),
      );
      const {
        accepted_proposal: proposal,
        media_buy_id,
        purchase_bindings,
      } = bought as Json & {
        accepted_proposal: { commercial_terms: Json & { purchases: Json[] }; terms_digest: string };
      };
      const terms = proposal.commercial_terms;
      const digest = createHash('sha256').update(canonicalJson(terms)).digest('base64url');
      expect(proposal).toMatchObject({ proposal_status: 'accepted', media_buy_id, terms_digest: `sha256:${digest}` });
      expect(terms).toMatchObject({ brand: { domain: 'acme.example' }, purchase_order_ref: 'PO-7' });
      expect(terms.purchases).toMatchObject([{ ...said, budget: 20_000, pricing: price }]);
      expect(purchase_bindings).toMatchObject([{ purchase_index: 0, product_id: terms.purchases[0]?.['product_id'] }]);
      const asked = { adcp_version: '3.2', media_buy_ids: [media_buy_id] };
      const read = bodyOf(await callPublic(at, 'get_media_buys', asked));
      expect(schemaErrors('get_media_buys', '3.2', read)).toEqual([]);
      expect(read['media_buys']).toMatchObject([{ name: 'Spring in the hills', total_budget: 20_000 }]);
    });

    it('is told the same again, whatever has become of the media buy', async () => {
      const request = await order();
      const first = await ask('buy_products', request);
      const [{ package_id }] = first['purchase_bindings'] as [{ package_id: string }];
      const { media_buy_id, revision } = first;
      const change = { account, media_buy_id, revision, idempotency_key: randomUUID() };
      await ask('control_media_buy', { ...change, packages: [{ package_id, budget: 15_000 }] });
      const again = await ask('buy_products', request);
      expect(again).toEqual({ ...first, replayed: true });
      const other = await ask('buy_products', { ...request, name: 'Another' });
      expect(other).toMatchObject({ adcp_error: { code: 'IDEMPOTENCY_CONFLICT' } });
    });

    it('waits for a person where that is asked, and tells the terms by webhook', async () => {
      const push_notification_config = { url: receiver.url('/bought'), operation_id: 'op-1' };
      const request = await order({ budget: 60_000 }, { push_notification_config });
      const waiting = await ask('buy_products', request);
      expect(waiting).toMatchObject({ status: 'submitted' });
      const [approval] = (await at.core.approvals.list({}, { limit: 100 })).rows;
      await at.core.approvals.approve(approval?.approval_id ?? '', { by: 'Ada' });
      const { body } = await until(() =>
        Promise.resolve(receiver.received.find(({ body: told }) => told['status'] === 'completed')),
      );
      expect(webhookErrors('3.2', body)).toEqual([]);
      expect(body).toMatchObject({
        task_type: 'buy_products',
        result: { accepted_proposal: { commercial_terms: { purchases: [{ budget: 60_000 }] } } },
      });
    });

    it('[D2.types] is of its own type to who polls or lists it in 3.2, as to webhooks, and found by that', async () => {
      const said = async (skill: string, request: Json, adcp_version = '3.2') => {
        const task = await callPublic(at, skill, { adcp_version, ...request });
        expect(schemaErrors(skill, adcp_version as Release, bodyOf(task))).toEqual([]);
        return { task_id: task.id, body: bodyOf(task) };
      };
      const { start_time, end_time, purchases } = await order();
      const brand = { domain: 'acme.example' };
      const booking = { account, brand, start_time, end_time, packages: purchases, idempotency_key: randomUUID() };
      const created = await said('create_media_buy', booking);
      const bought = await said('buy_products', await order());
      const { media_buy_id, revision } = bought.body;
      const change = { account, media_buy_id, revision, paused: true, idempotency_key: randomUUID() };
      const controlled = await said('control_media_buy', change);
      const typesIn = async (release: string, filters: Json) => {
        const { body } = await said('list_tasks', { filters }, release);
        return (body['tasks'] as { task_id: string; task_type: string }[]).map((row) => [row.task_id, row.task_type]);
      };
      const task_ids = [created.task_id, bought.task_id, controlled.task_id];
      for (const [release, ...types] of [
        ['3.1', 'create_media_buy', 'create_media_buy', 'update_media_buy'],
        ['3.2', 'create_media_buy', 'buy_products', 'control_media_buy'],
      ] as const) {
        const told = task_ids.map((task_id, i) => [task_id, types[i]]);
        for (const [task_id, task_type] of told) {
          const { body } = await said('get_task_status', { task_id }, release);
          expect(body).toMatchObject({ task_id, task_type });
        }
        expect(new Map((await typesIn(release, { task_ids })) as [string, string][])).toEqual(
          new Map(told as [string, string][]),
        );
      }
      expect(await typesIn('3.2', { task_ids, task_types: ['buy_products'] })).toEqual([
        [bought.task_id, 'buy_products'],
      ]);
      const others = await said('list_tasks', { filters: { task_ids, task_types: ['create_media_buy'] } });
      expect(others.body['tasks']).toMatchObject([{ task_id: created.task_id }]);
      expect(others.body['query_summary']).toMatchObject({ returned: 1, total_matching: 1 });
      const found = await typesIn('3.2', { task_type: 'buy_products' });
      expect(found).toContainEqual([bought.task_id, 'buy_products']);
      expect(found.every(([, task_type]) => task_type === 'buy_products')).toBe(true);
    });

    it.each([
      ['a feed that is not the present one', {}, { feed_version: 'old' }, 'CONFLICT', 'feed_version'],
      ['prices that are not the present ones', {}, { pricing_version: 'old' }, 'CONFLICT', 'pricing_version'],
      [
        'a total that is no sum',
        {},
        { total_budget: { amount: 1, currency: 'USD' } },
        'INVALID_REQUEST',
        'total_budget.amount',
      ],
      [
        'another currency',
        {},
        { total_budget: { amount: 20_000, currency: 'EUR' } },
        'INVALID_REQUEST',
        'total_budget.currency',
      ],
      ['a cap by the day', {}, { daily_budget_cap: 5 }, 'UNSUPPORTED_FEATURE', 'daily_budget_cap'],
      ['a cap of a purchase', { daily_budget_cap: 5 }, {}, 'UNSUPPORTED_FEATURE', 'purchases[0].daily_budget_cap'],
      ['impressions', { impressions: 9 }, {}, 'UNSUPPORTED_FEATURE', 'purchases[0].impressions'],
      [
        'a flight beyond that of all',
        { end_time: '2031-01-01T00:00:00Z' },
        {},
        'INVALID_REQUEST',
        'purchases[0].end_time',
      ],
      ['a budget below the least', { budget: 0.01 }, {}, 'BUDGET_TOO_LOW', 'purchases[0].budget'],
      ['a product that is none', { product_id: 'none' }, {}, 'PRODUCT_NOT_FOUND', 'purchases[0].product_id'],
    ])('refuses %s by its path', async (_, purchase, more, code, field) => {
      const body = await ask('buy_products', await order(purchase, more));
      expect(body).toMatchObject({ status: 'failed', adcp_error: { code, field, recovery: 'correctable' } });
    });

    it.each([
      ['a purchase without a budget', { budget: undefined }, {}, 'purchases[0].budget'],
      ['a brand that is said twice', {}, { brand: { domain: 'acme.example' } }, 'brand'],
      ['no brand at all', {}, { account: { account_id: 'acc' } }, 'brand'],
      ['creatives', {}, { creatives: [{}] }, 'creatives'],
    ])('refuses %s', async (_, purchase, more, field) => {
      const body = await ask('buy_products', await order(purchase, more), true);
      expect(body).toMatchObject({ adcp_error: { field } });
    });

    it('refuses a price that is not published', async () => {
      const { price } = await offer();
      const pricing = {
        pricing_option_id: price.pricing_option_id,
        pricing_model: 'cpm',
        currency: 'USD',
        fixed_price: 0.5,
      };
      const body = await ask('buy_products', await order({ pricing }));
      expect(body).toMatchObject({ adcp_error: { code: 'CONFLICT', field: 'purchases[0].pricing' } });
      const agreed = await ask('buy_products', await order({ pricing: price }));
      expect(agreed).toHaveProperty('media_buy_id');
    });
  });
});
