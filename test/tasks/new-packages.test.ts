import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { approvalIdOf } from '../../src/sales/approval/approval.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { begin, BUYER, call, makeBuy, refusal, result, settled } from './support/calls.ts';
import type { Json } from './support/calls.ts';
import { LINE } from './support/interrupted-agent.ts';

/** Above this a person decides. */
const LIMIT = 1_000_000;

describeOnStores('[B6.new-packages] packages that an update adds, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { APPROVAL_OVER: `USD:${LIMIT}` } });
  });
  afterAll(() => agent.stop());

  const stored = async (media_buy_id: string): Promise<MediaBuy> => {
    const buy = await agent.core.sales.mediaBuys.get(MediaBuyId.parse(media_buy_id));
    if (buy === undefined) throw new Error('the buy is gone');
    return buy;
  };
  const booked = (more: Json = {}) => makeBuy(agent, { packages: [{ ...LINE, buyer_ref: 'first' }], ...more });
  const update = (media_buy_id: string, updates: Json, more: Json = {}) =>
    result(agent, 'update_media_buy', { media_buy_id, updates, ...more });
  const banner = (creative_id: string) => ({
    ...{ creative_id, name: 'Banner', format_id: { agent_url: agent.baseUrl, id: 'display_300x250' } },
    assets: { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } },
  });

  it('hold in one step with all else that it changes, at the ad server, too, and are told in the answer and in every read', async () => {
    const { media_buy_id } = await booked();
    const before = await stored(media_buy_id);
    const [first] = before.packages;
    const targeting_overlay = { geo: { countries: ['US'] } };
    const updates = {
      packages: [{ package_id: first?.package_id, paused: true }],
      new_packages: [
        { ...LINE, buyer_ref: 'second', targeting_overlay },
        { ...LINE, budget: 7500.25, creatives: [banner(`c-${media_buy_id}`)] },
      ],
    };
    const key = { idempotency_key: randomUUID() };
    const answer = await update(media_buy_id, updates, key);
    const added = answer['new_packages'] as string[];
    expect(answer).toMatchObject({ affected_packages: [first?.package_id, ...added], revision: before.revision + 1 });
    expect(new Set([first?.package_id, ...added]).size).toBe(3);
    expect(await update(media_buy_id, updates, key)).toEqual(answer);
    const buy = await stored(media_buy_id);
    expect(buy).toMatchObject({
      ...{ total_budget_minor: 500_000 + 500_000 + 750_025, ad_version: (before.ad_version ?? 0) + 1 },
      packages: [
        { paused: true },
        { package_id: added[0], buyer_ref: 'second', budget_minor: 500_000, targeting_overlay, creative_ids: [] },
        { package_id: added[1], buyer_ref: null, budget_minor: 750_025, creative_ids: [`c-${media_buy_id}`] },
      ],
    });
    const held = await agent.core.sales.adServer.read(buy.media_buy_id);
    expect(held.found && held.lines.map(({ package_id }) => package_id)).toEqual([first?.package_id, ...added]);

    const read = await result(agent, 'get_media_buys', { media_buy_ids: [media_buy_id] });
    const [row] = read['media_buys'] as { packages: Json[] }[];
    expect(row?.packages.map(({ package_id }) => package_id)).toEqual([first?.package_id, ...added]);
    const delivery = await result(agent, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
    const [its] = delivery['media_buy_deliveries'] as { by_package: Json[] }[];
    expect(its?.by_package).toHaveLength(3);
    const library = await result(agent, 'list_creatives', { filters: { package_ids: [added[1]] } });
    expect(library['creatives']).toMatchObject([{ creative_id: `c-${media_buy_id}` }]);
    // They are packages like any other.
    await update(media_buy_id, { budget_change: { package_id: added[0], amount: 100 } });
    expect((await stored(media_buy_id)).total_budget_minor).toBe(1_760_025);
  });

  it.each<[string, Json, Json, Json?]>([
    ['an unknown product', { product_id: 'none' }, { code: 'PRODUCT_NOT_FOUND', at: 'product_id' }],
    ['an unknown price', { pricing_option_id: 'none' }, { code: 'PRICING_OPTION_NOT_FOUND', at: 'pricing_option_id' }],
    ['less than the least spend', { budget: 1 }, { code: 'BUDGET_TOO_LOW', at: 'budget' }],
    ['a fraction of a cent', { budget: 5000.001 }, { code: 'INVALID_REQUEST', at: 'budget' }],
    ['a name that is taken', { buyer_ref: 'first' }, { code: 'INVALID_REQUEST', at: 'buyer_ref' }],
    ['a creative of nobody', { creative_ids: ['nobody'] }, { code: 'CREATIVE_NOT_FOUND', at: 'creative_ids[0]' }],
    [
      'a targeting that is not offered',
      { targeting_overlay: { geo: { countries: ['AQ'] } } },
      { code: 'UNSUPPORTED_FEATURE', at: 'targeting_overlay.geo.countries' },
    ],
    ['a key that is none', { flight: 1 }, { code: 'VALIDATION_ERROR', at: 'flight' }],
  ])('are refused by the field with %s, and nothing of the update is made', async (_what, wrong, { code, at }) => {
    const { media_buy_id } = await booked();
    const before = await stored(media_buy_id);
    const updates = { budget_change: 100, new_packages: [{ ...LINE, ...wrong }] };
    const error = await refusal(agent, 'update_media_buy', { media_buy_id, updates });
    expect(error).toMatchObject({ code, field: `updates.new_packages[0].${String(at)}` });
    expect(await stored(media_buy_id)).toEqual(before);
  });

  it('are refused in another currency, above a hundred in all, and beside an end', async () => {
    const { media_buy_id } = await booked();
    const [euro] = [...agent.core.catalog.products.values()].flatMap(({ product_id, pricing_options }) =>
      pricing_options.flatMap(({ currency, pricing_option_id, pricing_model }) =>
        currency !== 'USD' && pricing_model === 'cpm' ? [{ product_id, pricing_option_id, budget: 50_000 }] : [],
      ),
    );
    expect(euro).toBeDefined();
    const refused = (updates: Json) => refusal(agent, 'update_media_buy', { media_buy_id, updates });
    expect(await refused({ new_packages: [euro] })).toMatchObject({
      ...{ code: 'INVALID_REQUEST', field: 'updates.new_packages[0].pricing_option_id' },
      message: expect.stringContaining('a media buy has one currency') as string,
    });
    expect(await refused({ new_packages: Array.from({ length: 100 }, () => LINE) })).toMatchObject({
      ...{ code: 'INVALID_REQUEST', field: 'updates.new_packages' },
      message: expect.stringContaining('at most 100 packages') as string,
    });
    expect(await refused({ new_packages: [LINE], status: 'canceled' })).toMatchObject({ field: 'updates.status' });
    expect((await stored(media_buy_id)).packages).toHaveLength(1);
  });

  it('[B15.grant] wait for a person where the new total does, exactly as priced then; a cancel in time leaves the buy as it was', async () => {
    const { media_buy_id } = await booked();
    const before = await stored(media_buy_id);
    const ask = () =>
      begin(agent, 'update_media_buy', { media_buy_id, updates: { new_packages: [{ ...LINE, budget: LIMIT }] } });
    const { approvals } = agent.core;
    const asked = await ask();
    await until(async () => (await agent.core.sales.approvals.get(approvalIdOf(asked.task_id))) !== undefined);
    const grant = await approvals.show(approvalIdOf(asked.task_id));
    expect(grant.asked_terms).toMatchObject({ total_minor: 500_000 + LIMIT * 100, packages: [{}, {}] });
    await agent.core.runtime.cancel(BUYER, asked.task_id);
    expect(await stored(media_buy_id)).toEqual(before);

    const again = await ask();
    await until(async () => (await agent.core.sales.approvals.get(approvalIdOf(again.task_id))) !== undefined);
    // What comes in between is another package: granted is what was asked, which the new total is not.
    const between = await update(media_buy_id, { new_packages: [LINE] });
    await approvals.approve(approvalIdOf(again.task_id), { by: 'ann' });
    await until(async () => (await agent.core.sales.approvals.get(approvalIdOf(again.task_id, 2))) !== undefined);
    expect((await stored(media_buy_id)).packages).toHaveLength(2);
    const second = await approvals.show(approvalIdOf(again.task_id, 2));
    expect(second.asked_terms?.total_minor).toBe(1_000_000 + LIMIT * 100);
    await approvals.approve(second.approval_id, { by: 'ann', digest: second.asked_terms?.digest });
    expect((await settled(agent, again.task_id)).state).toBe('completed');
    const { packages, total_budget_minor } = await stored(media_buy_id);
    expect(packages.map(({ budget_minor }) => budget_minor)).toEqual([500_000, 500_000, LIMIT * 100]);
    expect(packages[1]?.package_id).toBe((between['new_packages'] as string[])[0]);
    expect(total_budget_minor).toBe(1_000_000 + LIMIT * 100);
  });

  it('that the ad server refuses fail the task truly, and leave the buy and its number of changes', async () => {
    const { media_buy_id } = await booked();
    const before = await stored(media_buy_id);
    const updates = { budget_change: 100, new_packages: [{ ...LINE, buyer_ref: 'sim-reject' }] };
    expect(await refusal(agent, 'update_media_buy', { media_buy_id, updates })).toMatchObject({
      code: 'AD_SERVER_REJECTED',
    });
    const { packages, total_budget_minor, revision, open_change } = await stored(media_buy_id);
    expect([packages, total_budget_minor, revision]).toEqual([
      before.packages,
      before.total_budget_minor,
      before.revision,
    ]);
    expect(open_change).toBeNull();
  });

  it('come to exactly what their buyers were told, whatever is added at once, repeated or refused', async () => {
    const wish = fc.record({ cents: fc.integer({ min: 100_000, max: 900_000 }), isRepeated: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: 2, maxLength: 4 }), async (wishes) => {
        const { media_buy_id } = await booked();
        const ends = await Promise.all(
          wishes.flatMap(({ cents, isRepeated }) => {
            const new_packages = [{ ...LINE, budget: cents / 100 }];
            const input = { media_buy_id, updates: { new_packages }, idempotency_key: randomUUID() };
            const once = () => call(agent, 'update_media_buy', input).catch(() => undefined);
            return isRepeated ? [once(), once()] : [once()];
          }),
        );
        const tasks = new Set(ends.flatMap((run) => (run?.state === 'completed' ? [run.task_id] : [])));
        const { packages, total_budget_minor, history } = await stored(media_buy_id);
        const told = history.flatMap(({ new_packages = [], task_id }) =>
          task_id !== null && tasks.has(task_id) ? new_packages : [],
        );
        expect(packages.slice(1).map(({ package_id }) => package_id)).toEqual(told);
        const least = packages[0]?.min_spend_minor ?? 0;
        const taken = wishes.filter(({ cents }) => cents >= least);
        expect([told.length, tasks.size]).toEqual([taken.length, taken.length]);
        expect(total_budget_minor).toBe(taken.reduce((sum, { cents }) => sum + cents, 500_000));
      }),
      { numRuns: 3 },
    );
  });
});
