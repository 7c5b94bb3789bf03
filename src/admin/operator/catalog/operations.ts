import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { Identifier } from '../../../sales/catalog-values.ts';
import { formatOf } from '../../../sales/catalog.ts';
import { FilterChannel, filterProducts } from '../../../sales/product/filters.ts';
import { Product } from '../../../sales/product/product.ts';
import { rankAll } from '../../../sales/product/rank-all.ts';
import { pageEnd, pageOf, pageView } from '../../../tasks/paging.ts';
import { pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';

/** A product in a list, with how well it answers the brief that was asked by. */
export const ProductRowView = z.object({
  ...Product.pick({ product_id: true, name: true, channels: true, delivery_type: true, pricing_options: true }).shape,
  /** Null where no brief was asked by, or it does not lead here. */
  score: z.number().nullable(),
  match_reason: z.string(),
});
export type ProductRowView = z.infer<typeof ProductRowView>;

/** What a buyer would be answered, in the same order. */
export const listProducts = operation({
  method: 'get',
  path: '/catalog/products',
  summary: 'List what is for sale; with a brief, as a buyer would find it, with score and reason.',
  role: 'viewer',
  query: z.strictObject({
    brief: z.string().max(10_000, 'must be at most 10000 characters').default(''),
    channel: FilterChannel.optional(),
    ...pageQuery,
  }),
  answer: z.object({ products: z.array(ProductRowView), total_matching: z.int(), ...pageView }),
  async handle({ query: { brief, channel, limit, cursor } }, { catalog, ranker }) {
    const candidates = filterProducts(catalog, channel === undefined ? {} : { channels: [channel] });
    const ranked = await rankAll(ranker, { brief }, candidates);
    const { items, cursor: next } = pageOf(ranked, {
      ...{ limit, cursor, of: ['catalog', brief, channel ?? null] },
      keyOf: ({ product }) => product.product_id,
    });
    const products = items.map(({ product, score, match_reason }) => ({ ...product, score, match_reason }));
    return { products, total_matching: candidates.length, ...pageEnd(next) };
  },
});

export const showProduct = operation({
  method: 'get',
  path: '/catalog/products/:product_id',
  summary: 'Show a product: its prices, formats, properties, flight terms, and what the ad server is told of it.',
  role: 'viewer',
  params: z.strictObject({ product_id: Identifier }),
  answer: Product.extend({
    formats: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
    /** As the seller wrote it, by ad server; told to no buyer. */
    implementation_config: z.record(z.string(), z.record(z.string(), z.unknown())),
  }),
  async handle({ params: { product_id } }, { catalog }) {
    const product = catalog.products.get(product_id);
    if (product === undefined) throw new AppError('NOT_FOUND', 'no product has this id', { field: 'product_id' });
    const formats = product.format_ids.flatMap((format_id) => {
      const format = formatOf(catalog, format_id);
      return format === undefined ? [] : [{ id: format_id.id, name: format.name, type: format.type }];
    });
    const implementation_config = catalog.implementation_configs.get(product_id) ?? {};
    return Promise.resolve({ ...product, formats, implementation_config });
  },
});
