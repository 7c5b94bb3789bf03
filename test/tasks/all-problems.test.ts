import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdOrderRecords } from '../../src/adservers/simulator/order-row.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { MAX_FLIGHT_DAYS } from '../../src/sales/product/product.ts';
import type { Product } from '../../src/sales/product/product.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { mediaBuyId } from '../support/ids.ts';
import { makeBuy, refusal, result } from './support/calls.ts';
import type { Json } from './support/calls.ts';

let agent: TestAgent;
/** Its two packages have a least spend and a fixed price. */
let buy: Json & { media_buy_id: string; packages: Json[] };
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
  buy = await makeBuy(agent, { buyer_ref: 'taken', packages: [ROS, ROS] });
});
afterAll(() => agent.stop());

const ROS = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 5000 };

/** One mistake: where it stands, and the code that it has alone. */
interface Mistake {
  at: string;
  code: string;
  value: unknown;
  /** The problem's place, where that is not the value's. */
  pointer?: string;
}

const CREATE: readonly Mistake[] = [
  { at: '/buyer_ref', code: 'CONFLICT', value: 'taken' },
  { at: '/brand_manifest/name', code: 'VALIDATION_ERROR', value: 7 },
  { at: '/packages/0/product_id', code: 'PRODUCT_NOT_FOUND', value: 'nope' },
  { at: '/packages/0/budget', code: 'INVALID_REQUEST', value: -1 },
  { at: '/packages/1/pricing_option_id', code: 'PRICING_OPTION_NOT_FOUND', value: 'nope' },
  { at: '/packages/2/budget', code: 'BUDGET_TOO_LOW', value: 0.01 },
  { at: '/packages/2/bid_price', code: 'INVALID_REQUEST', value: 3 },
  { at: '/packages/3/budget', code: 'VALIDATION_ERROR', value: '10' },
  { at: '/packages/3/targeting_overlay/geo/countries', code: 'UNSUPPORTED_FEATURE', value: ['FR'] },
  { at: '/packages/3/targeting_overlay/geoo', code: 'VALIDATION_ERROR', value: 1 },
  {
    at: '/packages/3/creative_ids',
    code: 'CREATIVE_NOT_FOUND',
    value: ['none'],
    pointer: '/packages/3/creative_ids/0',
  },
  {
    ...{ at: '/packages/4', code: 'INVALID_REQUEST', pointer: '/packages/4/pricing_option_id' },
    value: { product_id: 'wayfarer_trip_planners', pricing_option_id: 'trips_fixed_gbp', budget: 5000 },
  },
  { at: '/end_time', code: 'INVALID_REQUEST', value: '2020-01-01T00:00:00Z' },
  { at: '/colour', code: 'VALIDATION_ERROR', value: 'blue' },
  {
    ...{ at: '/push_notification_config', code: 'ADDRESS_REFUSED', pointer: '/push_notification_config/url' },
    value: { url: 'https://10.0.0.1/x', operation_id: 'op' },
  },
];

const UPDATE: readonly Mistake[] = [
  { at: '/revision', code: 'CONFLICT', value: 1 },
  { at: '/updates/status', code: 'INVALID_STATE', value: 'active' },
  { at: '/updates/end_time', code: 'INVALID_REQUEST', value: '2020-01-01T00:00:00Z' },
  { at: '/updates/targeting/audiences', code: 'UNSUPPORTED_FEATURE', value: ['nobody'] },
  { at: '/updates/targeting/geoo', code: 'VALIDATION_ERROR', value: 1 },
  { at: '/updates/packages/0/budget', code: 'BUDGET_TOO_LOW', value: 0.01 },
  { at: '/updates/packages/1/budget', code: 'VALIDATION_ERROR', value: 'ten' },
  {
    ...{ at: '/updates/packages/1/creative_ids', code: 'CREATIVE_NOT_FOUND', value: ['none'] },
    pointer: '/updates/packages/1/creative_ids/0',
  },
  { at: '/updates/packages/1/paused', code: 'VALIDATION_ERROR', value: 'yes' },
  {
    ...{ at: '/updates/packages/2', code: 'PACKAGE_NOT_FOUND', pointer: '/updates/packages/2/package_id' },
    value: { package_id: 'pkg_none', paused: true },
  },
  {
    ...{ at: '/updates/reporting_webhook', code: 'ADDRESS_REFUSED', pointer: '/updates/reporting_webhook/url' },
    value: { url: 'https://10.0.0.1/x', reporting_frequency: 'daily' },
  },
  { at: '/colour', code: 'VALIDATION_ERROR', value: 'blue' },
];

const ROUTES = {
  create_media_buy: {
    mistakes: CREATE,
    right: (): Json => ({
      buyer_ref: 'free',
      brand_manifest: { name: 'Acme', url: 'https://acme.example' },
      packages: Array.from({ length: 5 }, () => ({ ...ROS })),
      start_time: 'asap',
      end_time: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    }),
  },
  update_media_buy: {
    mistakes: UPDATE,
    right: (): Json => ({
      media_buy_id: buy.media_buy_id,
      revision: 2,
      updates: {
        packages: buy.packages.map(({ package_id }) => ({ package_id, budget: 6000 })),
      },
    }),
  },
} as const;

function withMistakes(right: Json, mistakes: readonly Mistake[]): Json {
  const request = structuredClone(right);
  for (const { at, value } of mistakes) {
    const steps = at.slice(1).split('/');
    const last = steps.pop() ?? '';
    let holder = request;
    for (const step of steps) holder = (holder[step] ??= {}) as Json;
    holder[last] = value;
  }
  return request;
}

/** In the order of the request as it is sent. */
function inOrder(mistakes: readonly Mistake[], request: Json): string[] {
  const seen: string[] = [];
  const visit = (value: unknown, pointer: string) => {
    seen.push(pointer);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) visit(inner, `${pointer}/${key}`);
  };
  visit(request, '');
  const pointers = mistakes.map(({ at, pointer = at }) => pointer);
  return seen.filter((pointer) => pointers.includes(pointer));
}

describe.each(['create_media_buy', 'update_media_buy'] as const)('[B12.details] %s', (task) => {
  const { mistakes, right } = ROUTES[task];
  const pairs = mistakes.flatMap((one, i) => mistakes.slice(i + 1).map((other) => [one, other]));
  const cases = [...mistakes.map((one) => [one]), ...pairs, [...mistakes]];

  it('tells every mistake of form and of substance in one answer, each once, in the order of the request', async () => {
    const stored = async () => ({
      runs: await agent.core.store.collection(TaskRuns).count({}),
      buys: await agent.core.sales.mediaBuys.find({ where: {}, limit: 100 }),
      creatives: await agent.core.sales.creatives.count({}),
    });
    const before = await stored();
    for (const made of cases) {
      const request = withMistakes(right(), made);
      const error = await refusal(agent, task, request);
      const pointers = inOrder(made, request);
      expect(error.issues?.map(({ pointer }) => pointer)).toEqual(pointers);
      const first = made.find(({ at, pointer = at }) => pointer === pointers[0]);
      const isForm = made.some(({ code }) => code === 'VALIDATION_ERROR');
      expect(error).toMatchObject({ code: isForm ? 'VALIDATION_ERROR' : first?.code, recovery: 'correctable' });
      const isCut = error.message.endsWith('; and more, see issues');
      const unnamed = error.issues?.filter(({ message }) => !error.message.includes(message)) ?? [];
      expect(unnamed.length > 0).toBe(isCut);
    }
    expect(await stored()).toEqual(before);
  });
});

describe('[B12.details] sync_creatives', () => {
  const banner = (creative_id: string, changes: Json = {}) => ({
    creative_id,
    name: 'Trail shoes',
    format_id: { agent_url: agent.baseUrl, id: 'display_300x250' },
    assets: { image: { url: 'https://cdn.acme.example/a.png', width: 300, height: 250 } },
    ...changes,
  });

  it('tells what is wrong with the whole beside what is wrong with each creative, and stores none', async () => {
    const error = await refusal(agent, 'sync_creatives', {
      creatives: [
        banner('good'),
        banner('bad', { name: 7, assets: { image: { url: 'http://a.example', width: 1, height: 250 } } }),
        banner('lost', { format_id: { agent_url: agent.baseUrl, id: 'nope' }, colour: 'blue' }),
        { ...banner('x'), creative_id: 7 },
      ],
      assignments: { good: ['pkg_none'], unknown: [String(buy.packages[0]?.['package_id'])] },
      dry_run: 'perhaps',
    });
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'creatives[1].name' });
    expect(error.issues?.map(({ pointer }) => pointer)).toEqual([
      '/creatives/1/name',
      '/creatives/1/assets/image/url',
      '/creatives/1/assets/image/width',
      '/creatives/2/format_id',
      '/creatives/2/colour',
      '/creatives/3/creative_id',
      '/assignments/good/0',
      '/assignments/unknown',
      '/dry_run',
    ]);
    expect(await agent.core.sales.creatives.count({})).toBe(0);
  });

  it('tells all of one creative that does not fit the schema, in its own entry', async () => {
    const bad = banner('bad', { name: 7, assets: { image: { url: 'http://a.example', width: 1, height: 250 } } });
    const { creatives } = await result(agent, 'sync_creatives', { creatives: [bad], dry_run: true });
    const [entry] = creatives as { errors: { code: string; field: string }[] }[];
    expect(entry?.errors.map(({ code, field }) => [code, field])).toEqual([
      ['VALIDATION_ERROR', 'creatives[0].name'],
      ['VALIDATION_ERROR', 'creatives[0].assets.image.url'],
      ['VALIDATION_ERROR', 'creatives[0].assets.image.width'],
    ]);
  });
});

describe('[B14.ad-server] what the ad server cannot do of a targeting', () => {
  const cap = (unit: string) => ({ frequency_cap: { max_impressions: 3, window: { interval: 1, unit } } });

  it('is UNSUPPORTED_FEATURE at its path, at create and at update, beside what the product does not offer', async () => {
    const known = agent.core.sales.adServerCan();
    if (known === undefined) throw new Error('the ad server has said nothing');
    const whole = { ...known };
    // As if it had said so at the start.
    Object.assign(known, { targeting: { countries: true, regions: ['US-CA'] }, cap_units: ['day'] });
    try {
      const asked = { geo: { countries: ['US', 'FR'], regions: ['US-NY'] }, audiences: ['news_daily'] };
      const overlay = { ...asked, ...cap('hours') };
      const created = await refusal(agent, 'create_media_buy', {
        ...ROUTES.create_media_buy.right(),
        packages: [{ ...ROS, targeting_overlay: overlay }],
      });
      const updated = await refusal(agent, 'update_media_buy', {
        media_buy_id: buy.media_buy_id,
        updates: { targeting: overlay },
      });
      const fields = ['geo/countries', 'geo/regions', 'audiences', 'frequency_cap'];
      for (const [error, at] of [
        [created, '/packages/0/targeting_overlay'],
        [updated, '/updates/targeting'],
      ] as const) {
        expect(error.code).toBe('UNSUPPORTED_FEATURE');
        expect(error.issues?.map(({ pointer }) => pointer)).toEqual(fields.map((field) => `${at}/${field}`));
        expect(error.message).toContain('the ad server cannot aim at US-NY; leave it out');
        expect(error.message).toContain('the ad server keeps no cap by the hour; it counts by day');
      }
      const within = { geo: { countries: ['US'], regions: ['US-CA'] }, ...cap('days') };
      await makeBuy(agent, { packages: [{ ...ROS, targeting_overlay: within }] });
    } finally {
      Object.assign(known, whole);
    }
  });

  it('is found, where a person has changed it there: what it holds is read back and held against what was told', async () => {
    const { orders, adOrders } = agent.core.sales;
    const { media_buy_id } = await makeBuy(agent, { packages: [{ ...ROS, targeting_overlay: cap('days') }] });
    await orders.look(mediaBuyId(media_buy_id));
    expect((await adOrders.get(media_buy_id))?.differences).toEqual([]);
    await agent.core.store.collection(AdOrderRecords).update(media_buy_id, (row) => {
      if (row.native === null) throw new Error('it holds nothing');
      const lines = row.native.lines.map(({ frequency_cap: _cap, ...line }) => ({ ...line, targeting: {} }));
      return { ...row, native: { ...row.native, lines } };
    });
    await orders.look(mediaBuyId(media_buy_id));
    const { differences = [] } = (await adOrders.get(media_buy_id)) ?? {};
    expect(differences.map(({ pointer }) => pointer)).toEqual(['/lines/0/targeting', '/lines/0/frequency_cap']);
  });
});

describe('[B16] a flight', () => {
  const years = (count: number, days = 0) => {
    const now = new Date();
    return new Date(now.setUTCFullYear(now.getUTCFullYear() + count) + days * 86_400_000).toISOString();
  };
  const TIMELESS = 'timeless';
  const packages = [{ ...ROS, product_id: TIMELESS }];

  it('may have 100 years where the product sets no shorter limit of its own, and no more', async () => {
    const products = agent.core.catalog.products as Map<string, Product>;
    const sold = products.get(ROS.product_id);
    if (sold === undefined) throw new Error('the product is gone');
    products.set(TIMELESS, { ...sold, product_id: TIMELESS, flight: { ...sold.flight, max_days: MAX_FLIGHT_DAYS } });
    const { media_buy_id } = await makeBuy(agent, { packages, end_time: years(100) });
    await result(agent, 'update_media_buy', { media_buy_id, updates: { end_time: years(99) } });
    await result(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
    await result(agent, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
    const tooLong = { code: 'INVALID_REQUEST', message: expect.stringContaining('36525 days') as string };
    const create = (changes: Json) =>
      refusal(agent, 'create_media_buy', { ...ROUTES.create_media_buy.right(), ...changes });
    expect(await create({ packages, end_time: years(100, 3) })).toMatchObject({ ...tooLong, field: 'end_time' });
    const updates = { end_time: years(100, 3) };
    expect(await refusal(agent, 'update_media_buy', { media_buy_id, updates })).toMatchObject({
      ...tooLong,
      field: 'updates.end_time',
    });
    expect(await create({ packages: [ROS], end_time: years(3) })).toMatchObject({
      ...{ code: 'INVALID_REQUEST', field: 'end_time' },
      message: expect.stringContaining(ROS.product_id) as string,
    });
  });
});
