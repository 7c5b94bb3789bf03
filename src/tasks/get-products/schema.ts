import { z } from 'zod';
import { ProductFilters } from '../../sales/product/filters.ts';
import { Product } from '../../sales/product/product.ts';
import { BrandManifest } from '../brand-manifest.ts';
import { readFields } from '../mutation-fields.ts';
import { pageFields, pageView } from '../paging.ts';

/** The request of `get_products` (rules B8, C.tasks.get_products). */
export const GetProductsRequest = z.strictObject({
  brief: z
    .string()
    .max(10_000, 'must be at most 10000 characters')
    .default('')
    .describe('What you look for, in plain words; orders what passes the filters, and leaves nothing out.'),
  brand_manifest: BrandManifest.optional().describe('What is advertised, or where that is told; read with the brief.'),
  filters: ProductFilters.default({}).describe('All that are given must hold; an empty list asks nothing.'),
  ...pageFields,
  ...readFields,
});
export type GetProductsRequest = z.infer<typeof GetProductsRequest>;

/** What of a product only the public protocol tells. */
const PUBLIC_ALONE = { measurement_terms: true, cancellation_policy: true, creative_policy: true } as const;

/** A product with how well it answers the brief. Its terms and policies are words of the public protocol alone. */
export const FoundProduct = Product.omit({ ...PUBLIC_ALONE }).extend({
  score: z.number().nullable(),
  match_reason: z.string(),
});

/** A product without what only the public protocol tells. Pure. */
export function ownWords(product: Product): Omit<Product, keyof typeof PUBLIC_ALONE> {
  const { measurement_terms: _terms, cancellation_policy: _cancels, creative_policy: _creatives, ...told } = product;
  return told;
}

/** The response of `get_products`. */
export const GetProductsResponse = z.strictObject({
  products: z.array(FoundProduct),
  /** How many products passed the filters, on all pages. */
  total_matching: z.int(),
  ...pageView,
  /** What became of `brand_manifest`; absent when none was sent. */
  brand: z.strictObject({ read_from: z.enum(['request', 'url']), note: z.string().optional() }).optional(),
});
export type GetProductsResponse = z.infer<typeof GetProductsResponse>;
