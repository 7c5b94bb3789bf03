import { DAY_MS } from '../../../platform/hours.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { Product } from '../../../sales/product/product.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { ourChannels } from '../channels.ts';
import { productOptions } from '../formats/format-options.ts';
import { formatRefKey } from '../refs.ts';
import type { Release } from '../release.ts';
import { ProductFiltersAsked } from './schema.ts';

const KNOWN = Object.keys(ProductFiltersAsked.shape);

/** What nobody's wish it is to be held against: told to sellers that have such things, and empty for the rest. */
function isEmpty(value: unknown): boolean {
  return value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** Filters that nothing which is sold here can be shown to meet, by name. Pure. */
export function unmetFilters(filters: ProductFiltersAsked): string[] {
  const unknown = Object.entries(filters).filter(([name, value]) => !KNOWN.includes(name) && !isEmpty(value));
  const channels = filters.channels ?? [];
  const isNowhere = channels.length > 0 && ourChannels(channels).length === 0;
  return [...unknown.map(([name]) => name), ...(isNowhere ? ['channels'] : [])];
}

/** Those that our own task has, in its words. Pure. */
export function ourFilters({ delivery_type, channels = [], budget_range }: ProductFiltersAsked): JsonObject {
  const sold = ourChannels(channels);
  return {
    ...(delivery_type !== undefined && { delivery_type }),
    ...(sold.length > 0 && { channels: sold }),
    ...(budget_range !== undefined && { budget_range: rangeOf(budget_range) }),
  };
}

function rangeOf({ min, max, currency }: NonNullable<ProductFiltersAsked['budget_range']>): JsonObject {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...(currency && { currency }) };
}

/** Whether a product meets those that our own task has no filter for. Pure. */
export function passes(product: Product, filters: ProductFiltersAsked, { nowMs, ...sold }: Selling): boolean {
  const { format_ids = [], pricing_currencies = [], countries = [], is_fixed_price, min_exposures } = filters;
  const keys = new Set(format_ids.map(formatRefKey));
  const options = product.pricing_options;
  const isFixed = options.some(({ pricing_model }) => pricing_model !== 'cpm-auction');
  const isAuction = options.some(({ pricing_model }) => pricing_model === 'cpm-auction');
  return (
    (keys.size === 0 || product.format_ids.some((id) => keys.has(formatRefKey(id)))) &&
    (pricing_currencies.length === 0 || options.some(({ currency }) => pricing_currencies.includes(currency))) &&
    (countries.length === 0 || product.targeting.geo.countries.some((country) => countries.includes(country))) &&
    (is_fixed_price === undefined || (is_fixed_price ? isFixed : isAuction)) &&
    (min_exposures === undefined || product.forecast.impressions_per_day * product.flight.max_days >= min_exposures) &&
    takesFormats(product, filters, sold) &&
    isFree(product, filters, nowMs)
  );
}

/** Where and when products are sold, and by which names their formats are called. */
export interface Selling {
  catalog: Catalog;
  release: Release;
  nowMs: number;
}

/** Whether it takes any of the kinds asked for, and any of the options. */
function takesFormats(
  product: Product,
  { format_kinds = [], format_option_refs = [] }: ProductFiltersAsked,
  { catalog, release }: Omit<Selling, 'nowMs'>,
): boolean {
  if (format_kinds.length + format_option_refs.length === 0) return true;
  const options = productOptions(product, catalog, release);
  // The options here are products' own: those of publishers' catalogs are none of them.
  const named = new Set(format_option_refs.flatMap((ref) => (ref.scope === 'product' ? [ref.format_option_id] : [])));
  return (
    (format_kinds.length === 0 || options.some(({ format_kind }) => format_kinds.includes(format_kind))) &&
    (format_option_refs.length === 0 || options.some(({ format_option_id }) => named.has(format_option_id)))
  );
}

/** Whether the product can be booked for the days asked about, as far as its own terms go. */
function isFree({ flight }: Product, { start_date, end_date }: ProductFiltersAsked, nowMs: number): boolean {
  const earliest = nowMs + flight.lead_time_days * DAY_MS;
  if (start_date !== undefined && Date.parse(start_date) + DAY_MS <= earliest) return false;
  if (end_date !== undefined && Date.parse(end_date) + DAY_MS <= earliest) return false;
  if (start_date === undefined || end_date === undefined) return true;
  const days = Math.round((Date.parse(end_date) - Date.parse(start_date)) / DAY_MS) + 1;
  return days >= flight.min_days && days <= flight.max_days;
}
