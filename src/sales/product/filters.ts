import { z } from 'zod';
import { minorOf, parseMoney } from '../../platform/money.ts';
import type { Catalog } from '../catalog.ts';
import { Channel, Currency, DeliveryType } from '../catalog-values.ts';
import { FormatType, formatKey } from '../format/format.ts';
import { leastBudget } from './least-budget.ts';
import type { PricingOption } from './pricing-option.ts';
import type { Product } from './product.ts';

/** Channel names of the public protocol and the channels they mean here; those not listed in either are nobody's inventory. */
const PUBLIC_CHANNELS = { olv: 'video', streaming_audio: 'audio', radio: 'audio' } as const;
export const FilterChannel = z.enum([...Channel.options, 'olv', 'streaming_audio', 'radio']);
type FilterChannel = z.infer<typeof FilterChannel>;

/**
 * How much the buyer means to spend on one product, `min` to `max`, in decimals of `currency` (default US dollars).
 * Either end may be left out.
 */
export const BudgetRange = z
  .strictObject({ min: z.number().optional(), max: z.number().optional(), currency: Currency.default('USD') })
  .superRefine(({ min, max, currency }, context) => {
    const refuse = (path: string[], message: string) => {
      context.addIssue({ code: 'custom', path, message, params: { code: 'INVALID_REQUEST' } });
    };
    const low = min === undefined ? undefined : parseMoney(min, currency, 'non-negative');
    const high = max === undefined ? undefined : parseMoney(max, currency);
    if (low?.ok === false) refuse(['min'], low.reason);
    if (high?.ok === false) refuse(['max'], high.reason);
    if (low?.ok && high?.ok && low.minor > high.minor) refuse(['max'], 'must not be below min');
  })
  .describe('What you mean to spend on one product; decimals that the currency can hold, min not above max.');
export type BudgetRange = z.infer<typeof BudgetRange>;

/**
 * The filters of `get_products` (rule C.tasks.get_products). All that are given must hold; an empty list asks nothing.
 */
export const ProductFilters = z.strictObject({
  channels: z.array(FilterChannel).optional().describe('Sold as at least one of these.'),
  budget_range: BudgetRange.optional(),
  delivery_type: DeliveryType.optional(),
  format_types: z.array(FormatType).optional().describe('Takes a format of at least one of these types.'),
});
export type ProductFilters = z.infer<typeof ProductFilters>;

/** The catalog's products that pass every filter, in catalog order. */
export function filterProducts(catalog: Catalog, filters: ProductFilters): Product[] {
  const { channels = [], format_types = [], delivery_type, budget_range } = filters;
  const wantedChannels = channels.map(toChannel);
  const typeOf = (product: Product) => product.format_ids.map((id) => catalog.formats.get(formatKey(id))?.type);
  return [...catalog.products.values()].filter(
    (product) =>
      (wantedChannels.length === 0 || product.channels.some((channel) => wantedChannels.includes(channel))) &&
      (delivery_type === undefined || product.delivery_type === delivery_type) &&
      (format_types.length === 0 ||
        typeOf(product).some((type) => type !== undefined && format_types.includes(type))) &&
      (budget_range === undefined ||
        product.pricing_options.some((option) => fitsBudget(product, option, budget_range))),
  );
}

/**
 * Whether the option can take a spend inside the range: its least budget is at most `max`, and the most it can spend is
 * at least `min`. The most is the fee of a flat fee, the forecast of the longest flight at a fixed price, and without
 * bound in an auction. Currencies are never converted: an option in another currency does not fit.
 */
function fitsBudget(product: Product, option: PricingOption, range: BudgetRange): boolean {
  if (option.currency !== range.currency) return false;
  if (range.max !== undefined && leastBudget(option) > minorOf(range.max, range.currency)) return false;
  if (range.min === undefined || option.pricing_model === 'cpm-auction') return true;
  const min = minorOf(range.min, range.currency);
  const price = minorOf(option.price, option.currency);
  if (option.pricing_model === 'flat-fee') return price >= min;
  const impressions = BigInt(product.forecast.impressions_per_day) * BigInt(product.flight.max_days);
  return impressions * BigInt(price) >= BigInt(min) * 1000n;
}

function toChannel(channel: FilterChannel): Channel {
  return channel in PUBLIC_CHANNELS ? PUBLIC_CHANNELS[channel as keyof typeof PUBLIC_CHANNELS] : (channel as Channel);
}
