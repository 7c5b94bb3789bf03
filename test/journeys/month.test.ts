import { afterEach, expect, it } from 'vitest';
import { mediaBuyId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { ask, errorOf, send } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { tallyFlight } from './support/flight-tally.ts';
import type { Spell, TalliedHour } from './support/flight-tally.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** Far ahead, so that a store that drops old rows by its own clock drops none of these. */
const BOOKED = '2041-03-07T09:17:23.456Z';
const START = '2041-04-01T00:00:00.000Z';
const SEEN = '2041-04-08T15:20:00.000Z';
const PAUSED = '2041-04-10T10:31:07.089Z';
const GROWN = '2041-04-13T06:45:00.500Z';
const RESUMED = '2041-04-13T08:00:59.999Z';
const END = '2041-05-01T00:00:00.000Z';

const BUYER_REF = 'month-of-april';
const PACKAGES = [
  {
    product_id: 'gazette_run_of_site',
    pricing_option_id: 'ros_auction_usd',
    ...{ bid_price: 3.33, budget: 12_345.67, buyer_ref: 'banners' },
  },
  { product_id: 'ctv_run_of_service', pricing_option_id: 'ctv_ros_fixed_usd', budget: 40_000 },
  { product_id: 'studio_sponsored_content', pricing_option_id: 'studio_article_usd', budget: 65_000 },
];
const LINES = [
  { product_id: 'gazette_run_of_site', model: 'cpm', rate: 333n },
  { product_id: 'ctv_run_of_service', model: 'cpm', rate: 2900n },
  { product_id: 'studio_sponsored_content', model: 'flat-fee', rate: 6_500_000n },
] as const;
const BUDGETS = [1_234_567n, 4_000_000n, 6_500_000n];
/** 5,000.01 dollars more, by the budgets' shares of 117,345.67: rounded down as one goes along, the rest to the last. */
const MORE = [52_603n, 170_437n, 276_961n];
const GROWN_BUDGETS = BUDGETS.map((budget, i) => budget + (MORE[i] ?? 0n));

interface Counts {
  impressions: number;
  spend: number;
  clicks: number;
  ctr?: number;
  cpm?: number;
}
interface Delivery {
  status: string;
  delivery: Counts;
  by_package: (Counts & { package_id: string })[];
  timeseries: (Counts & { start: string; end: string })[];
  date_range: { start: string; end: string };
  corrections: unknown[];
}

/** The agent with a clock that stands until the story moves it. */
async function open(store: StoreKind): Promise<{ agent: TestAgent; clock: { nowMs: number } }> {
  const clock = {
    nowMs: Date.parse(BOOKED),
    now() {
      return this.nowMs;
    },
  };
  const agent = await startTestAgent(store, { clock, env: { CREATIVE_REVIEW_SECONDS: '0' } });
  cleanUp.push(() => agent.stop());
  return { agent, clock };
}

const dollars = (cents: number) => cents / 100;
const cents = (dollarsOf: number) => Math.round(dollarsOf * 100);
const sumOf = (hours: readonly TalliedHour[]) => ({
  impressions: hours.reduce((sum, hour) => sum + hour.impressions, 0),
  spend: dollars(hours.reduce((sum, hour) => sum + hour.spend, 0)),
  clicks: hours.reduce((sum, hour) => sum + hour.clicks, 0),
});
const counts = ({ impressions, spend, clicks }: Counts) => ({ impressions, spend, clicks });

function tallyUntil(untilMs: number): TalliedHour[] {
  const spells: Spell[] = [
    { fromMs: Date.parse(BOOKED), isRunning: true, budgets: BUDGETS },
    { fromMs: Date.parse(PAUSED), isRunning: false, budgets: BUDGETS },
    { fromMs: Date.parse(RESUMED), isRunning: true, budgets: GROWN_BUDGETS },
  ];
  const flight = { seed: 'northlight', buyer_ref: BUYER_REF, lines: LINES, spells };
  return tallyFlight({ ...flight, startMs: Date.parse(START), endMs: Date.parse(END) }, untilMs);
}

const STEPS = {
  hourly: (ms: number) => ms + 3_600_000,
  daily: (ms: number) => ms + 86_400_000,
  monthly: (ms: number) => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth() + 1),
};

/** Every number of a delivery report against the tally. */
function expectTally(told: Delivery, granularity: keyof typeof STEPS, tally: readonly TalliedHour[]): void {
  expect(counts(told.delivery)).toEqual(sumOf(tally));
  expect(told.by_package.map(counts)).toEqual(LINES.map((_, i) => sumOf(tally.filter(({ line }) => line === i))));
  const expected = told.timeseries.map(({ start }) => {
    const fromMs = Date.parse(start);
    const untilMs = STEPS[granularity](fromMs);
    return sumOf(tally.filter(({ hourMs }) => hourMs >= fromMs && hourMs < untilMs));
  });
  expect(told.timeseries.map(counts)).toEqual(expected);
  for (const part of [told.delivery, ...told.by_package, ...told.timeseries]) {
    if (part.impressions === 0) expect(part).not.toHaveProperty('ctr');
    else {
      expect(part.ctr).toBeCloseTo(part.clicks / part.impressions, 5);
      expect(Math.abs((part.cpm ?? 0) - (part.spend * 1000) / part.impressions)).toBeLessThanOrEqual(0.0051);
    }
  }
}

describeOnStores('a simulated month on %s', (store) => {
  it('[B1] [B2] [B10] [C.tasks.delivery] from get_products to completion, every number as an independent tally has it', async () => {
    const { agent, clock } = await open(store);
    const goTo = (at: string) => {
      clock.nowMs = Date.parse(at);
    };

    const brief = 'display, CTV and sponsored content for readers of news';
    const filters = { budget_range: { max: 100_000 } };
    const found = (await ask(agent, 'get_products', { brief, filters })) as {
      products: { product_id: string; format_ids: Json[] }[];
    };
    const products = PACKAGES.map(({ product_id }) => found.products.find((one) => one.product_id === product_id));
    expect(products).not.toContain(undefined);
    const listed = (await ask(agent, 'list_creative_formats', {
      format_ids: products.flatMap((product) => product?.format_ids.slice(0, 1) ?? []),
    })) as { formats: { format_id: Json; assets: Record<string, { kind: string; required: boolean }> }[] };
    const formats = products.flatMap((product) => {
      const [wanted] = product?.format_ids ?? [];
      return listed.formats.filter(({ format_id }) => format_id['id'] === wanted?.['id']);
    });
    expect(formats).toHaveLength(3);

    const booked = (await ask(agent, 'create_media_buy', {
      ...{ buyer_ref: BUYER_REF, brand_manifest: { name: 'Acme' }, packages: PACKAGES },
      ...{ start_time: { type: 'scheduled', datetime: START }, end_time: END },
    })) as Json & { media_buy_id: string; packages: { package_id: string; budget: number }[] };
    expect(booked).toMatchObject({
      status: 'pending',
      pending_reason: 'creatives',
      revision: 2,
      total_budget: 117_345.67,
    });
    const { media_buy_id } = booked;
    const packageIds = booked.packages.map(({ package_id }) => package_id);

    const read = async () => {
      const { media_buys } = await ask(agent, 'get_media_buys', { media_buy_ids: [media_buy_id] });
      return (media_buys as (Json & { history: Json[]; packages: { budget: number }[] })[])[0];
    };
    const reaches = (status: string, pending_reason?: string) =>
      until(async () => {
        const buy = await read();
        return buy?.['status'] === status && buy['pending_reason'] === pending_reason && buy;
      });
    const delivery = async (more: Json = {}) =>
      (await ask(agent, 'get_media_buy_delivery', {
        media_buy_id,
        granularity: 'daily',
        ...more,
      })) as unknown as Delivery;
    /** The report, once the hours until then are in. */
    const counted = async (tally: readonly TalliedHour[], more: Json = {}) => {
      const wanted = sumOf(tally).impressions;
      return until(async () => {
        const told = await delivery(more);
        return told.delivery.impressions >= wanted && told;
      });
    };

    goTo('2041-03-08T12:00:00.000Z');
    const creatives = formats.map(({ format_id, assets }, i) => exampleOf(`creative-${i}`, format_id, assets));
    const synced = await ask(agent, 'sync_creatives', {
      creatives,
      assignments: Object.fromEntries(packageIds.map((id, i) => [`creative-${i}`, [id]])),
    });
    expect((synced['creatives'] as Json[]).map(({ action }) => action)).toEqual(['created', 'created', 'created']);
    expect(await reaches('pending', 'start_time')).toMatchObject({ health: 'ok' });
    expect(counts((await delivery({ date_range: { start: '2041-03-01', end: '2041-04-01' } })).delivery)).toEqual(
      sumOf([]),
    );

    goTo(START);
    const active = await reaches('active');
    expect(active.history.at(-1)).toMatchObject({ action: 'activated', actor: 'system', at: START });
    // The ad server has heard of it once the hours before are counted; it delivers from then on.
    await until(async () => (await agent.core.sales.flights.get(mediaBuyId(media_buy_id)))?.recorded_until === START);

    goTo(SEEN);
    const week = tallyUntil(Date.parse('2041-04-08T15:00:00Z'));
    expect(new Set(week.map(({ line }) => line)).size).toBe(3);
    const seen = await counted(week);
    expectTally(seen, 'daily', week);
    expect(seen.timeseries).toHaveLength(8);
    expect(seen.date_range).toEqual({ start: START, end: '2041-04-08T16:00:00.000Z' });
    expect(seen.status).toBe('active');

    goTo(PAUSED);
    const change = (updates: Json, more: Json = {}) =>
      ask(agent, 'update_media_buy', { media_buy_id, updates, ...more });
    expect(await change({ status: 'paused' }, { revision: 6 })).toEqual({
      ...{ media_buy_id, status: 'paused', revision: 7 },
      ...{ affected_packages: packageIds, implementation_date: PAUSED },
    });
    goTo(GROWN);
    const atPause = tallyUntil(Date.parse(GROWN));
    expectTally(await counted(atPause, { granularity: 'hourly' }), 'hourly', atPause);
    const budget_change = 5_000.01;
    expect(await change({ budget_change })).toMatchObject({ status: 'paused', revision: 8 });
    const grown = await read();
    expect(grown).toMatchObject({ total_budget: 122_345.68, status: 'paused' });
    expect(grown?.packages.map(({ budget }) => BigInt(cents(budget)))).toEqual(GROWN_BUDGETS);
    goTo(RESUMED);
    expect(await change({ status: 'active' })).toMatchObject({ status: 'active', revision: 9 });
    expectTally(await delivery(), 'daily', atPause);

    goTo(END);
    const over = await reaches('completed');
    const all = tallyUntil(Date.parse(END));
    for (const granularity of ['hourly', 'daily', 'monthly'] as const) {
      // A look at the flight that the clock's move has met half way says that its data is late, until the next one.
      const told = await until(async () => {
        const last = await counted(all, { granularity });
        return last.status !== 'reporting_delayed' && last;
      });
      expectTally(told, granularity, all);
      expect(told.timeseries).toHaveLength({ hourly: 720, daily: 30, monthly: 1 }[granularity]);
      expect(told).toMatchObject({ status: 'completed', corrections: [], date_range: { start: START, end: END } });
    }
    const spent = sumOf(all).spend;
    expect(spent).toBeLessThanOrEqual(122_345.68);
    // The article's price is all that it costs; of the others, less than an impression each is left.
    expect(cents(spent)).toBeGreaterThanOrEqual(12_234_568 - 276_961 - 4);

    const part = { start: '2041-04-05', end: '2041-04-12T03:00:00Z' };
    const inPart = all.filter(({ hourMs }) => hourMs >= Date.parse(part.start) && hourMs < Date.parse(part.end));
    expectTally(await delivery({ date_range: part }), 'daily', inPart);

    expect(over.history.map(({ action }) => action)).toEqual([
      ...['created', 'creatives_assigned', 'readiness_changed', 'activated'],
      ...['paused', 'updated', 'resumed', 'completed'],
    ]);
    expect(over).toMatchObject({
      revision: 10,
      valid_actions: [],
      health: 'ok',
      total_budget: 122_345.68,
    });
    expect(over.history.at(-1)).toMatchObject({ actor: 'system', note: 'flight ended', from_status: 'active' });
    const refused = await send(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
    expect(errorOf(refused)).toMatchObject({ code: 'INVALID_STATE' });
  });
});

/** A creative that brings what its format requires, read from the format's own rules. */
function exampleOf(
  creative_id: string,
  format_id: Json,
  rules: Record<string, Json & { kind: string; required: boolean }>,
) {
  const assets = Object.entries(rules)
    .filter(([, { required }]) => required)
    .map(([key, rule]) => [key, exampleAsset(rule)] as const);
  return { creative_id, name: creative_id, format_id, assets: Object.fromEntries(assets) };
}

function exampleAsset({ kind, width, height, ...rule }: Json & { kind: string }): Json {
  if (kind === 'text') return { content: 'Acme' };
  if (kind === 'url') return { url: 'https://acme.example/shoes' };
  const least = rule['duration_ms'] ?? rule['min_duration_ms'];
  return {
    url: `https://cdn.acme.example/${kind}`,
    ...{ width: width ?? rule['min_width'], height: height ?? rule['min_height'] },
    ...(least !== undefined && { duration_ms: least }),
  };
}
