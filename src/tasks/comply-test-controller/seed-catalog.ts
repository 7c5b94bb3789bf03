import { z } from 'zod';
import { Identifier } from '../../sales/catalog-values.ts';
import { MOST_FIXTURES } from '../../sales/fixture/fixture-row.ts';
import type { FixtureRow } from '../../sales/fixture/fixture-row.ts';
import { formatKey } from '../../sales/format/format.ts';
import type { Format } from '../../sales/format/format.ts';
import { MeasurementTerms } from '../../sales/product/measurement-terms.ts';
import type { Product } from '../../sales/product/product.ts';
import { fixtureFormat, fixtureFormatId } from './fixture-format.ts';
import { fixturePrice, fixtureProduct, withPrice } from './fixture-product.ts';
import { ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import type { Scene } from './scene.ts';

const Words = z.string().min(1).max(2000).optional();
const FormatRef = z.looseObject({ id: Identifier, agent_url: z.url().max(2048).optional() });

/** Puts a product over the catalog, for the caller's organization alone; formats that it names and nobody knows with it. */
export const seedProduct = scenario({
  name: 'seed_product',
  params: z.looseObject({
    product_id: Identifier,
    fixture: z
      .looseObject({
        ...{ name: Words, description: Words },
        delivery_type: z.enum(['guaranteed', 'non_guaranteed']).optional(),
        channels: z.array(z.string().max(64)).max(20).optional(),
        format_ids: z.array(FormatRef).max(50).optional(),
        measurement_terms: MeasurementTerms.optional(),
      })
      .default({}),
  }),
  async play({ product_id, fixture }, scene) {
    const catalog = await catalogNow(scene);
    const named = fixture.format_ids ?? [];
    const formats = named.map((one) => fixtureFormat(catalog, fixtureFormatId(catalog, one)));
    const format_ids = formats.map(({ format_id }) => format_id);
    const product = fixtureProduct(catalog, product_id, fixture, format_ids);
    const unknown = formats.filter(({ format_id }) => !catalog.formats.has(formatKey(format_id)));
    await put(scene, { products: [product], formats: unknown });
    return { message: `the product ${product_id} is for sale to you` };
  },
});

/** Gives a product a price, for the caller's organization alone. */
export const seedPricingOption = scenario({
  name: 'seed_pricing_option',
  params: z.looseObject({
    product_id: Identifier,
    pricing_option_id: Identifier,
    fixture: z
      .looseObject({
        ...{ pricing_model: z.string().max(64).optional(), currency: z.string().max(3).optional() },
        ...{ fixed_price: z.number().optional(), floor_price: z.number().optional() },
        min_spend_per_package: z.number().optional(),
      })
      .default({}),
  }),
  async play({ product_id, pricing_option_id, fixture }, scene) {
    const product = (await catalogNow(scene)).products.get(product_id);
    if (product === undefined) throw new ControllerRefusal('NOT_FOUND', `no product has the id ${product_id}`);
    await put(scene, { products: [withPrice(product, fixturePrice(pricing_option_id, fixture))], formats: [] });
    return { message: `the product ${product_id} has the price ${pricing_option_id} for you` };
  },
});

/** Puts a creative format over the catalog, for the caller's organization alone. */
export const seedCreativeFormat = scenario({
  name: 'seed_creative_format',
  params: z.looseObject({
    format_id: z.union([Identifier, FormatRef]),
    fixture: z.looseObject({ name: Words, type: z.string().max(64).optional() }).default({}),
  }),
  async play({ format_id, fixture }, scene) {
    const catalog = await catalogNow(scene);
    const id = fixtureFormatId(catalog, typeof format_id === 'string' ? { id: format_id } : format_id);
    await put(scene, { products: [], formats: [fixtureFormat(catalog, id, fixture)] });
    return { message: `the format ${id.id} is taken from you` };
  },
});

function catalogNow({ tested, caller }: Scene) {
  return tested.fixtures.catalogOf(caller.organization_id);
}

/** @throws {ControllerRefusal} `INVALID_STATE` where there are too many. */
async function put({ tested, caller }: Scene, more: { products: Product[]; formats: Format[] }): Promise<void> {
  await tested.fixtures.change(caller.organization_id, (row: FixtureRow) => {
    const products = new Map([...row.products, ...more.products].map((one) => [one.product_id, one]));
    const formats = new Map([...row.formats, ...more.formats].map((one) => [formatKey(one.format_id), one]));
    if (products.size > MOST_FIXTURES || formats.size > MOST_FIXTURES) {
      throw new ControllerRefusal('INVALID_STATE', `there are at most ${MOST_FIXTURES} fixtures of each kind`);
    }
    return { ...row, products: [...products.values()], formats: [...formats.values()] };
  });
}
