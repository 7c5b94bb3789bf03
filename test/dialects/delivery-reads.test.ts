import { afterAll, beforeAll, expect, it } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/hours.ts';
import { minorOf } from '../../src/platform/money.ts';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { recordDelivery } from '../sales/support/record-delivery.ts';
import { mediaBuyId, taskId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const FIRST = Date.parse('2026-04-01T00:00:00Z');
/** Two days and a bit, with a day between on which nothing is delivered; sums of cents that no ratio of decimals makes. */
const HOURS = [0, 1, 23, 49, 50, 71];
const RANGE = { start_date: '2026-04-01', end_date: '2026-04-04' };

interface Told {
  impressions: number;
  spend: number;
  clicks?: number;
}
interface Package extends Told {
  package_id: string;
  daily_breakdown?: (Told & { date: string })[];
}
interface Window {
  window_start: string;
  totals: Told;
  by_package: Package[];
  is_final: boolean;
}
interface Row {
  totals: Told;
  by_package: Package[];
  daily_breakdown?: Told[];
  windows?: Window[];
}

describeOnStores('[D3.delivery] [D3.schema] delivery is read on %s', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let line: Json;
  let media_buy_id: string;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } }));
    line = await packageForSale(at);
    const made = await ask('3.1', 'create_media_buy', orderOf(line, { packages: [line, line] }));
    media_buy_id = String(made['media_buy_id']);
    const packages = made['packages'] as { package_id: string }[];
    const hours = HOURS.flatMap((hour) =>
      packages.map(({ package_id }, i) => ({
        ...{ package_id, hour: toTimestamp(FIRST + hour * HOUR_MS) },
        ...{ impressions: 100 + hour + i, spend_minor: 10 * hour + 1 + i, clicks: i },
      })),
    );
    await recordDelivery(
      at.core.sales.facts,
      mediaBuyId(media_buy_id),
      { hours, corrections: [] },
      toTimestamp(Date.now()),
    );
  });
  afterAll(() => at.stop());

  const delivery = (release: Release, more: Json) =>
    ask(release, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id], ...RANGE, ...more });
  async function rowOf(release: Release, more: Json): Promise<Row> {
    const [row] = (await delivery(release, more))['media_buy_deliveries'] as Row[];
    if (row === undefined) throw new Error('no row');
    return row;
  }

  const sum = (parts: readonly Told[]) => ({
    impressions: parts.reduce((all, { impressions }) => all + impressions, 0),
    minor: parts.reduce((all, { spend }) => all + minorOf(spend, 'USD'), 0),
  });

  it.each(RELEASES)(
    'by package and day in %s, which add up to the cent, in whichever steps else it is told',
    async (release) => {
      for (const time_granularity of [undefined, 'hourly', 'daily', 'monthly']) {
        const row = await rowOf(release, { include_package_daily_breakdown: true, time_granularity });
        for (const one of row.by_package) {
          expect(one.daily_breakdown?.map(({ date }) => date)).toEqual(['2026-04-01', '2026-04-02', '2026-04-03']);
          expect(sum(one.daily_breakdown ?? [])).toEqual(sum([one]));
          expect(one.daily_breakdown?.[1]).toMatchObject({ impressions: 0, spend: 0 });
          expect(one.impressions).toBeGreaterThan(0);
        }
        expect(sum(row.by_package)).toEqual(sum([row.totals]));
        if (time_granularity !== undefined) expect(row).not.toHaveProperty('windows');
      }
      const plain = await rowOf(release, {});
      expect(plain.by_package[0]).not.toHaveProperty('daily_breakdown');
    },
  );

  it.each(['3.1', '3.2'] as const)('by window and package in %s, which add up to the window', async (release) => {
    for (const [time_granularity, count] of [
      ['hourly', 72],
      ['daily', 3],
      ['monthly', 1],
    ] as const) {
      const asked = { include_window_breakdown: true, time_granularity, include_package_daily_breakdown: true };
      const { windows = [], totals, by_package } = await rowOf(release, asked);
      expect(windows).toHaveLength(count);
      for (const one of windows) {
        expect(sum(one.by_package)).toEqual(sum([one.totals]));
        expect(one.by_package.map(({ package_id }) => package_id)).toEqual(
          by_package.map(({ package_id }) => package_id),
        );
      }
      expect(sum(windows.map((one) => one.totals))).toEqual(sum([totals]));
    }
    // Without steps that are asked for, there are no windows.
    expect(await rowOf(release, { include_window_breakdown: true })).not.toHaveProperty('windows');
  });

  it('a window is final once its hours are not stated otherwise any more, and none that may still be', async () => {
    const { mediaBuys, flights } = at.core.sales;
    const id = mediaBuyId(media_buy_id);
    const finals = async () => {
      const { windows = [] } = await rowOf('3.1', { include_window_breakdown: true, time_granularity: 'daily' });
      return windows.map(({ is_final }) => is_final);
    };
    const { statements } = await at.core.sales.adServer.describe();
    const reach = async (recorded_until: string, due_at: string | null) => {
      await mediaBuys.update(id, (buy) => ({
        ...buy,
        flight: { is_delayed: false, revision: 1, ...buy.flight, recorded_until },
        flight_due_at: due_at,
      }));
      expect(await flights.get(id)).toMatchObject({ recorded_until, due_at });
    };
    const later = toTimestamp(Date.now() + 365 * DAY_MS);
    const restatedMs = statements.restates_hours * HOUR_MS;
    await reach(toTimestamp(FIRST + 2 * DAY_MS + restatedMs), later);
    expect(await finals()).toEqual([true, true, false]);
    await reach(toTimestamp(FIRST + 2 * DAY_MS - HOUR_MS + restatedMs), later);
    expect(await finals()).toEqual([true, false, false]);
    await reach(toTimestamp(FIRST), null);
    expect(await finals()).toEqual([true, true, true]);
  });

  it('in the metrics asked for from 3.2 on, with impressions and spend, wherever there are any', async () => {
    const asked = { requested_metrics: ['clicks', 'reach'], include_window_breakdown: true, time_granularity: 'daily' };
    const told = await delivery('3.2', asked);
    const keys = ['clicks', 'impressions', 'spend'];
    const [row] = told['media_buy_deliveries'] as Row[];
    expect(Object.keys(row?.totals ?? {}).sort()).toEqual(keys);
    expect(Object.keys(row?.windows?.[0]?.totals ?? {}).sort()).toEqual(keys);
    expect(Object.keys(row?.by_package[0] ?? {})).not.toContain('ctr');
    const narrow = await delivery('3.2', { requested_metrics: ['reach'] });
    expect(narrow['aggregated_totals']).not.toHaveProperty('clicks');
    expect(narrow['aggregated_totals']).toMatchObject({ media_buy_count: 1 });
    // Before, nobody could ask so.
    const former = await rowOf('3.1', { requested_metrics: ['reach'] });
    expect(former.totals).toHaveProperty('ctr');
    expect(former.by_package[1]).toHaveProperty('ctr');
  });

  it('[D4.refused] in no revision and in no pages of one, by name', async () => {
    const revision = { reporting_revision_id: 'r_1', pagination: { max_results: 10 } };
    expect(await ask('3.2', 'get_media_buy_delivery', revision)).toMatchObject({
      adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'reporting_revision_id' },
    });
    expect(await delivery('3.2', { pagination: { max_results: 10 } })).toMatchObject({
      adcp_error: { code: 'INVALID_REQUEST', field: 'pagination' },
    });
    expect(await delivery('3.1', { pagination: { max_results: 10 } })).toHaveProperty('media_buy_deliveries');
  });

  it('in no more steps than an answer has room for', async () => {
    const asked = { include_window_breakdown: true, time_granularity: 'hourly' };
    const made = await ask(
      '3.1',
      'create_media_buy',
      orderOf(line, { packages: Array.from({ length: 8 }, () => line) }),
    );
    const long = { start_date: '2025-01-01', end_date: '2027-01-01' };
    const told = await delivery('3.1', { ...asked, ...long, media_buy_ids: [made['media_buy_id']] });
    expect(told).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'start_date' } });
  });

  it.each(RELEASES)(
    'of the newest hundred in %s, of more without ids, and says that there are others',
    async (release) => {
      const account = accountOf(`many-${release.replace('.', '')}.example`);
      const asked = { account, status_filter: ['pending_creatives'] };
      const made = await ask(release, 'create_media_buy', orderOf(line, { account }));
      const { mediaBuys } = at.core.sales;
      const first = await mediaBuys.get(mediaBuyId(String(made['media_buy_id'])));
      if (first === undefined) throw new Error('the media buy is not stored');
      const newer = Array.from({ length: 100 }, (_, i) => ({
        ...first,
        ...{ media_buy_id: mediaBuyId(`mb_many_${release}_${i}`), buyer_ref: `many-${release}-${i}` },
        ...{ task_id: taskId(`task_many_${release}_${i}`), row_version: 1 },
        created_at: toTimestamp(Date.parse(first.created_at) + 1 + i),
      }));
      const told = async () => {
        const body = await ask(release, 'get_media_buy_delivery', asked);
        return { body, ids: (body['media_buy_deliveries'] as Json[]).map(({ media_buy_id }) => media_buy_id) };
      };
      await mediaBuys.insertMany(newer.slice(1));
      const whole = await told();
      expect(whole.ids).toHaveLength(100);
      expect(whole.body).not.toHaveProperty('errors');
      await mediaBuys.insertMany(newer.slice(0, 1));
      const { body, ids } = await told();
      expect(ids).toEqual(newer.map((buy) => buy.media_buy_id).reverse());
      expect(body).toMatchObject({
        status: 'completed',
        errors: [
          { code: 'RESULT_TRUNCATED', field: 'media_buy_ids', recovery: 'correctable', details: { returned: 100 } },
        ],
      });
      expect(body).not.toHaveProperty('adcp_error');
      if (release !== '3.2') expect(body).toMatchObject({ aggregated_totals: { media_buy_count: 100 } });
    },
  );

  it('of several currencies at once in 3.2 alone, each told by itself and no sum of them', async () => {
    const account = accountOf('two.example');
    for (const wanted of ['USD', 'EUR']) {
      const [its] = [...at.core.catalog.products.values()].flatMap(({ product_id, pricing_options }) =>
        pricing_options.flatMap(({ currency, pricing_model, pricing_option_id }) =>
          currency === wanted && pricing_model === 'cpm' ? [{ product_id, pricing_option_id, budget: 20_000 }] : [],
        ),
      );
      await ask('3.1', 'create_media_buy', orderOf(its ?? {}, { account }));
    }
    const asked = { account, status_filter: ['pending_creatives'] };
    const told = await ask('3.2', 'get_media_buy_delivery', asked);
    const rows = told['media_buy_deliveries'] as { currency: string }[];
    expect(rows.map(({ currency }) => currency).sort()).toEqual(['EUR', 'USD']);
    expect(told).not.toHaveProperty('currency');
    expect(told).not.toHaveProperty('aggregated_totals');
    expect(await ask('3.1', 'get_media_buy_delivery', asked)).toMatchObject({
      adcp_error: { code: 'INVALID_REQUEST', field: 'media_buy_ids' },
    });
  });
});
