import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { orderOf } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

interface Told {
  product_id: string;
  pricing_options: { pricing_option_id: string; fixed_price?: number }[];
  overlay_support?: Json;
}

/** What narrows a package on each axis that a product may have, in values of the product. */
const NARROWED = {
  geo_countries: ({ countries }) => countries.slice(0, 1),
  geo_countries_exclude: () => ['AQ'],
  geo_regions: ({ regions }) => regions.slice(0, 1),
  geo_regions_exclude: ({ regions }) => regions.slice(0, 1),
  device_type: ({ devices }) => devices.slice(0, 1),
  device_type_exclude: () => ['unknown'],
  language: ({ languages }) => languages.slice(0, 1),
  audience_include: ({ audiences }) => audiences.slice(0, 1),
  audience_exclude: ({ audiences }) => audiences.slice(0, 1),
  daypart_targets: () => [{ days: ['monday'], start_hour: 6, end_hour: 10, timezone: 'UTC' }],
  frequency_cap: () => ({ max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } }),
} satisfies Record<string, (product: Record<Axis, string[]>) => unknown>;
type Axis = 'countries' | 'regions' | 'devices' | 'languages' | 'audiences';

describeOnStores('[D3.products] the overlay_support of products, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store));
  });
  afterAll(() => at.stop());

  async function productsIn(release: Release): Promise<Told[]> {
    const whole = { buying_mode: 'wholesale', pagination: { max_results: 100 } };
    return (await ask(release, 'get_products', whole))['products'] as Told[];
  }

  it.each(RELEASES)('is told in %s where the release has it', async (release) => {
    const products = await productsIn(release);
    expect(products.length).toBeGreaterThan(0);
    for (const one of products) expect('overlay_support' in one).toBe(release === '3.2');
  });

  it('is the same in both lists of 3.2, and shown there where it is asked for', async () => {
    const of = ({ product_id, overlay_support }: Told) => [product_id, overlay_support];
    const listed = await ask('3.2', 'list_products', { max_results: 100 });
    expect(new Map((listed['products'] as Told[]).map((one) => of(one) as [string, Json]))).toEqual(
      new Map((await productsIn('3.2')).map((one) => of(one) as [string, Json])),
    );
    const [shown] = (await ask('3.2', 'list_products', { fields: ['overlay_support'] }))['products'] as Json[];
    expect(Object.keys(shown ?? {}).sort()).toEqual(['name', 'overlay_support', 'product_id']);
  });

  it('is true: what it has is taken, and what it leaves out is refused by its field', async () => {
    const seen = { taken: new Set<string>(), refused: new Set<string>() };
    for (const { product_id, pricing_options, overlay_support = {} } of await productsIn('3.2')) {
      const price = pricing_options.find(({ fixed_price }) => fixed_price !== undefined);
      const product = at.core.catalog.products.get(product_id);
      if (price === undefined || product === undefined) continue;
      const { geo, devices, languages, audiences } = product.targeting;
      const ids = audiences.map(({ audience_id }) => audience_id);
      const own = { countries: geo.countries, regions: geo.regions ?? [], devices, languages, audiences: ids };
      for (const [axis, valuesOf] of Object.entries(NARROWED)) {
        const isTold = axis in overlay_support || `${axis}_support` in overlay_support;
        if (seen[isTold ? 'taken' : 'refused'].has(axis)) continue;
        const named = valuesOf(own);
        const some: unknown = Array.isArray(named) && named.length === 0 ? [SOME[axis]] : named;
        const line = { product_id, pricing_option_id: price.pricing_option_id, budget: 20_000 };
        const order = orderOf({ ...line, targeting_overlay: { [axis]: some } });
        // Some products ask for a larger budget, which is told beside.
        const wrong = JSON.stringify((await ask('3.2', 'create_media_buy', order))['adcp_error'] ?? {});
        const isRefused = new RegExp(`targeting_overlay[./]${axis}\\b`).test(wrong);
        expect([product_id, axis, isRefused]).toEqual([product_id, axis, !isTold]);
        seen[isTold ? 'taken' : 'refused'].add(axis);
      }
    }
    expect([...seen.taken].sort()).toEqual(Object.keys(NARROWED).sort());
    expect(seen.refused.size).toBeGreaterThan(0);
  });
});

/** A value for what a product does not have. */
const SOME: Readonly<Record<string, string>> = {
  geo_regions: 'US-CA',
  geo_regions_exclude: 'US-CA',
  language: 'en',
  audience_include: 'nobody',
  audience_exclude: 'nobody',
};
