import { z } from 'zod';
import { EnvelopeFields } from '../envelope.ts';
import { FormatOptionRef } from '../formats/format-ref.ts';
import { Pagination } from '../pagination.ts';
import { AccountRef, BrandRef, FormatRef } from '../refs.ts';

const Names = z.array(z.string().max(128)).max(1000);
const Day = z.iso.date('send a day that there is, as YYYY-MM-DD');

/** The filters that are held against products here. Any other one can be met by nothing that is sold here. */
export const ProductFiltersAsked = z.looseObject({
  delivery_type: z.enum(['guaranteed', 'non_guaranteed']).optional(),
  channels: Names.optional(),
  budget_range: z
    .looseObject({ min: z.number().optional(), max: z.number().optional(), currency: z.string().optional() })
    .optional(),
  format_ids: z.array(FormatRef).max(1000).optional(),
  /** These three are of 3.2. */
  pricing_structures: Names.optional(),
  format_kinds: Names.optional(),
  format_option_refs: z.array(FormatOptionRef).max(1000).optional(),
  pricing_currencies: Names.optional(),
  countries: Names.optional(),
  is_fixed_price: z.boolean().optional(),
  start_date: Day.optional(),
  end_date: Day.optional(),
  min_exposures: z.number().min(0).optional(),
});
export type ProductFiltersAsked = z.infer<typeof ProductFiltersAsked>;

/** One wish about what was answered before. */
export const Refinement = z.looseObject({
  scope: z.enum(['request', 'product', 'proposal']),
  product_id: z.string().max(256).optional(),
  proposal_id: z.string().max(256).optional(),
  action: z.enum(['include', 'omit', 'more_like_this', 'finalize']).optional(),
  ask: z.string().max(10_000).optional(),
});
export type Refinement = z.infer<typeof Refinement>;

export const AdcpGetProductsRequest = z.looseObject({
  ...EnvelopeFields.shape,
  buying_mode: z.enum(['brief', 'wholesale', 'refine']).optional(),
  brief: z.string().max(10_000, 'must be at most 10000 characters').optional(),
  refine: z.array(Refinement).min(1).max(100).optional(),
  brand: BrandRef.optional(),
  account: AccountRef.optional(),
  filters: ProductFiltersAsked.optional(),
  fields: Names.optional(),
  pagination: Pagination.optional(),
  if_wholesale_feed_version: z.string().max(256).optional(),
  if_pricing_version: z.string().max(256).optional(),
});
export type AdcpGetProductsRequest = z.infer<typeof AdcpGetProductsRequest>;
