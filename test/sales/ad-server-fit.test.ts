import { describe, expect, it } from 'vitest';
import { describeSimulator } from '../../src/adservers/simulator/description.ts';
import { misfitsOf } from '../../src/sales/ad-server-fit.ts';
import type { InventoryItem } from '../../src/sales/ad-server/inventory.ts';
import type { Description } from '../../src/sales/ad-server/description.ts';
import { configOf, loadCatalog } from '../../src/sales/catalog.ts';
import { problemLine } from '../../src/sales/catalog-file.ts';
import { baseUrl, demoCatalog, withEditedCatalog } from './support/demo-catalog.ts';
import type { EditableCatalog } from './support/demo-catalog.ts';

const catalog = await demoCatalog();
const able = describeSimulator(1);

/** What does not fit the shipped catalog after an edit, a line each. */
function misfits(
  changes: Partial<Description>,
  edit: (files: EditableCatalog) => void = () => undefined,
  inventory?: InventoryItem[],
) {
  return withEditedCatalog(edit, async (folder) => {
    const description = { ...able, ...changes };
    const edited = await loadCatalog(folder, { baseUrl });
    const asked = { catalog: edited, ad_server_id: 'default', description, simSpeed: 1 };
    return misfitsOf({ ...asked, ...(inventory && { inventory }) }).map(problemLine);
  });
}

/** Leaves only the product at `index`, which is then the first. */
const only =
  (product_id: string, more: Record<string, unknown> = {}) =>
  (files: EditableCatalog) => {
    files.products = files.products.filter((product) => product['product_id'] === product_id);
    Object.assign(files.products[0] ?? {}, more);
  };

describe('what an ad server can do is held against what is promised', () => {
  it('the shipped catalog fits the simulated ad server', async () => {
    expect(await misfits({})).toEqual([]);
  });

  it('a clock of another speed', async () => {
    expect(await misfits({ clock_speed: 600 })).toEqual([
      "settings SIM_SPEED: is 1, and the ad server's clock runs at 600; set both to the same",
    ]);
  });

  it('a pace that every package has', async () => {
    expect(await misfits({ pacing: ['asap'] })).toEqual([
      'ad server default pacing: has no even, by which every package is paced; have it enabled there',
    ]);
  });

  it('a currency that is not sold there', async () => {
    const sold = await misfits({ currencies: ['USD', 'EUR'] });
    const gbp = [...catalog.products.values()].flatMap(({ pricing_options }, index) =>
      pricing_options.flatMap(({ currency }, i) => (currency === 'GBP' ? `[${index}].pricing_options[${i}]` : [])),
    );
    expect(gbp).not.toEqual([]);
    expect(sold.map((line) => line.split('.currency: ')[0])).toEqual(gbp.map((place) => `products.json ${place}`));
    expect(sold[0]).toMatch(/: the ad server does not sell in GBP; use USD, EUR, or drop the option \(product \w+\)$/);
  });

  it('a pricing model or a delivery type that is not sold', async () => {
    const edit = only('podcast_network_dynamic');
    const [option] = catalog.products.get('podcast_network_dynamic')?.pricing_options ?? [];
    expect(option?.pricing_model).toBe('cpm');
    const byClick = [{ model: 'cpc', delivery_types: ['guaranteed', 'non_guaranteed'] }];
    expect((await misfits({ pricing: byClick }, edit))[0]).toBe(
      'products.json [0].pricing_options[0].pricing_model: ' +
        'the ad server does not sell by cpm; use cpc, or drop the option (product podcast_network_dynamic)',
    );
    const neither = await misfits({ pricing: [{ model: 'cpm', delivery_types: [] }] }, edit);
    expect(neither[0]).toMatch(
      /^products\.json \[0\]\.pricing_options\[0\]\.pricing_model: the ad server does not sell \w+ by cpm; change delivery_type, or/,
    );
  });

  it('each axis that a product promises and the ad server lacks, and values it does not know', async () => {
    const targeting = {
      geo: { countries: ['US', 'CA'], regions: ['US-NY'] },
      devices: ['desktop', 'mobile'],
      audiences: [{ audience_id: 'hikers', name: 'Hikers', description: 'People who hike.' }],
      languages: ['en'],
      dayparting: true,
      frequency_cap: true,
    };
    const edit = only('podcast_network_dynamic', { targeting });
    const places = (lines: string[]) => lines.map((line) => line.split(': ')[0]?.split('targeting.')[1]);
    expect(await misfits({}, edit)).toEqual([]);
    const all = ['geo.countries', 'geo.regions', 'devices', 'languages', 'audiences', 'dayparting', 'frequency_cap'];
    expect(places(await misfits({ targeting: {}, cap_units: [] }, edit))).toEqual(all);
    const some = await misfits(
      { targeting: { ...able.targeting, countries: ['US', 'MX'], dayparts: ['hours'] } },
      edit,
    );
    expect(some).toEqual([
      'products.json [0].targeting.geo.countries: ' +
        'the ad server cannot aim at CA; take out what it cannot (product podcast_network_dynamic)',
    ]);
    expect(await misfits({ cap_units: [] }, edit)).toEqual([
      'products.json [0].targeting.frequency_cap: ' +
        'the ad server keeps no frequency caps; make it false (product podcast_network_dynamic)',
    ]);
    const plain = { ...targeting, audiences: [], languages: [], dayparting: false, frequency_cap: false };
    const modest = only('podcast_network_dynamic', { targeting: { ...plain, geo: { countries: ['US'] } } });
    expect(await misfits({ targeting: { countries: true, devices: true }, cap_units: [] }, modest)).toEqual([]);
  });

  it('a format with an asset that the ad server does not take, if a product is sold in it', async () => {
    const edit = only('podcast_network_dynamic');
    const without = able.creative_kinds.filter((kind) => kind !== 'audio');
    const lines = await misfits({ creative_kinds: without }, edit);
    expect(lines).not.toEqual([]);
    for (const line of lines) {
      expect(line).toMatch(
        /^formats\.json \[\d+\]\.assets\.\w+\.kind: the ad server takes no audio; take the asset out, or/,
      );
    }
    expect(await misfits({ creative_kinds: able.creative_kinds.filter((kind) => kind !== 'video') }, edit)).toEqual([]);
  });

  describe("a product's configuration", () => {
    const product_config_schema = {
      properties: { placement: { type: 'string', minLength: 3 }, priority: { type: 'integer', minimum: 1 } },
      required: ['placement'],
      additionalProperties: false,
    };
    const configured = (implementation_config: unknown) => only('podcast_network_dynamic', { implementation_config });

    it('fits', async () => {
      expect(await misfits({ product_config_schema }, configured({ default: { placement: 'pod-1' } }))).toEqual([]);
    });

    it('is missing', async () => {
      const [line] = await misfits({ product_config_schema }, configured({ other: { placement: 'pod-1' } }));
      expect(line).toMatch(
        /^products\.json \[0\]\.implementation_config\.default: is missing, and the ad server asks for it \(placement: .+\); add it \(product /,
      );
      expect(await misfits({ product_config_schema }, only('podcast_network_dynamic'))).toEqual([line]);
    });

    it('is wrong, place by place', async () => {
      const lines = await misfits(
        { product_config_schema },
        configured({ default: { placement: 'p', priority: 0, prioritty: 4 } }),
      );
      expect(lines.map((line) => line.split(': ')[0])).toEqual([
        'products.json [0].implementation_config.default.placement',
        'products.json [0].implementation_config.default.priority',
        'products.json [0].implementation_config.default',
      ]);
      expect(lines[2]).toContain('prioritty');
    });

    it('names inventory that is not there, or not active, and nothing where all is', async () => {
      const { product_config_schema: schema } = describeSimulator(1, { adUnits: ['home-top', 'home-side'] });
      const item = { kind: 'ad_unit', name: 'A unit', sizes: [] };
      const inventory = [
        { ...item, native_id: 'home-top', active: true },
        { ...item, native_id: 'home-side', active: false },
        { ...item, kind: 'placement', native_id: 'home-bottom', active: true },
      ];
      const named = async (...ad_unit_ids: string[]) =>
        misfits({ product_config_schema: schema }, configured({ default: { ad_unit_ids } }), inventory);
      expect(await named('home-top')).toEqual([]);
      const place = 'products.json [0].implementation_config.default.ad_unit_ids';
      expect(await named('home-side', 'home-topp', 'home-bottom')).toEqual([
        `${place}[0]: ad_unit home-side is not active at the ad server; name another, or activate it (product podcast_network_dynamic)`,
        `${place}[1]: the ad server has no ad_unit home-topp; did you mean home-top? (product podcast_network_dynamic)`,
        `${place}[2]: the ad server has no ad_unit home-bottom; name one of home-top (product podcast_network_dynamic)`,
      ]);
    });

    it('cannot be read by a schema that is none', async () => {
      const edit = only('podcast_network_dynamic');
      expect(await misfits({ product_config_schema: { $ref: 'https://elsewhere.example/schema' } }, edit)).toEqual([
        'ad server default product_config_schema: is a JSON Schema that this agent cannot read; have it mended at the ad server',
      ]);
    });
  });
});

describe('implementation_config', () => {
  const config = { default: { impressions_per_day: 5, native: { line: 'gam-77' } }, other: { key: 1 } };

  it('is read per ad server, and is nothing where nothing is written', async () => {
    await withEditedCatalog(only('podcast_network_dynamic', { implementation_config: config }), async (folder) => {
      const edited = await loadCatalog(folder, { baseUrl });
      expect(configOf(edited, 'default')('podcast_network_dynamic')).toEqual(config.default);
      expect(configOf(edited, 'other')('podcast_network_dynamic')).toEqual({ key: 1 });
      expect(configOf(edited, 'third')('podcast_network_dynamic')).toEqual({});
      expect(configOf(edited, 'default')('nothing_like_it')).toEqual({});
    });
  });

  it('is no part of a product, whatever asks for that', async () => {
    await withEditedCatalog(only('podcast_network_dynamic', { implementation_config: config }), async (folder) => {
      const { products } = await loadCatalog(folder, { baseUrl });
      expect(JSON.stringify([...products.values()])).not.toMatch(/implementation_config|gam-77/);
    });
  });
});
