import { z } from 'zod';
import { EnvelopeFields } from '../envelope.ts';
import { ProductFiltersAsked } from '../get-products/schema.ts';
import { AccountRef, BrandRef } from '../refs.ts';

/** What is looked for. */
const Criteria = z.looseObject({
  product_ids: z.array(z.string().max(255)).max(1000).optional(),
  offer_filters: ProductFiltersAsked.optional(),
});

export const AdcpListProductsRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef.optional(),
  brand: BrandRef.optional(),
  criteria: Criteria.optional(),
  fields: z.array(z.string().max(128)).max(100).optional(),
  cursor: z.string().max(2048).optional(),
  max_results: z.int().min(1).max(100).optional(),
  if_feed_version: z.string().max(256).optional(),
  if_pricing_version: z.string().max(256).optional(),
});
export type AdcpListProductsRequest = z.infer<typeof AdcpListProductsRequest>;
