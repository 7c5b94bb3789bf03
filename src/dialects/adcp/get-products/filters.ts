import { DAY_MS } from '../../../platform/hours.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { PricingOption } from '../../../sales/product/pricing-option.ts';
import type { Product } from '../../../sales/product/product.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { ourChannels } from '../channels.ts';
import { productOptions } from '../formats/format-options.ts';
import { PUBLIC_PRICING_STRUCTURES, pricingStructure } from '../pricing.ts';
import { formatRefKey } from '../refs.ts';
import type { Release } from '../release.ts';
import { ProductFiltersAsked } from './schema.ts';

/** Extensions are agreed on, and none is. */
const KNOWN = [...Object.keys(ProductFiltersAsked.shape), 'ext'];

/** What nobody's wish it is to be held against: told to sellers that have such things, and empty for the rest. */
function isEmpty(value: unknown): boolean {
  return value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** Filters that nothing which is sold here can be shown to meet, by name. Pure. */
export function unmetFilters(filters: ProductFiltersAsked): string[] {
  const unknown = Object.entries(filters).filter(([name, value]) => !KNOWN.includes(name) && !isEmpty(value));
  const { channels = [], pricing_structures = [] } = filters;
  const isNowhere = channels.length > 0 && ourChannels(channels).length === 0;
  const isSold = PUBLIC_PRICING_STRUCTURES.some((one) => pricing_structures.includes(one));
  return [
    ...unknown.map(([name]) => name),
    ...(isNowhere ? ['channels'] : []),
    ...(pricing_structures.length > 0 && !isSold ? ['pricing_structures'] : []),
  ];
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
  const { format_ids = [], pricing_currencies = [], countries = [] } = filters;
  const keys = new Set(format_ids.map(formatRefKey));
  const options = product.pricing_options;
  return (
    (keys.size === 0 || product.format_ids.some((id) => keys.has(formatRefKey(id)))) &&
    (pricing_currencies.length === 0 || options.some(({ currency }) => pricing_currencies.includes(currency))) &&
    (countries.length === 0 || product.targeting.geo.countries.some((country) => countries.includes(country))) &&
    isPaidSo(options, filters) &&
    showsEnough(product, filters, nowMs) &&
    takesFormats(product, filters, sold) &&
    isFree(product, filters, nowMs)
  );
}

/** Whether any of the prices is one that bidding has no part in, or has, as is asked for. */
function isPaidSo(
  options: readonly PricingOption[],
  { is_fixed_price, pricing_structures = [] }: ProductFiltersAsked,
): boolean {
  const structures = new Set<string>(options.map(pricingStructure));
  return (
    (is_fixed_price === undefined || structures.has(is_fixed_price ? 'fixed' : 'auction')) &&
    (pricing_structures.length === 0 || pricing_structures.some((one) => structures.has(one)))
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

/** Whether the longest flight that there can be within the days asked about shows as much as is asked for. */
function showsEnough(
  { forecast, flight }: Product,
  { min_exposures, start_date, end_date }: ProductFiltersAsked,
  nowMs: number,
): boolean {
  if (min_exposures === undefined) return true;
  // An end that is not asked about is as far away as may be.
  if (end_date === undefined) return forecast.impressions_per_day * flight.max_days >= min_exposures;
  const soonest = Math.floor((nowMs + flight.lead_time_days * DAY_MS) / DAY_MS);
  const first = start_date === undefined ? soonest : Math.max(soonest, Date.parse(start_date) / DAY_MS);
  const days = Math.min(flight.max_days, Date.parse(end_date) / DAY_MS - first + 1);
  return forecast.impressions_per_day * days >= min_exposures;
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
