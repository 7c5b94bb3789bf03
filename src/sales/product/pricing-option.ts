import { z } from 'zod';
import { Currency, Identifier, Text } from '../catalog-values.ts';

/** What past auctions cleared at, by percentile, in the option's currency per thousand. Advice, not a promise. */
export const PriceGuidance = z.strictObject({
  p25: z.number().positive().optional(),
  p50: z.number().positive().optional(),
  p75: z.number().positive().optional(),
  p90: z.number().positive().optional(),
});
export type PriceGuidance = z.infer<typeof PriceGuidance>;

const shared = { pricing_option_id: Identifier, currency: Currency, description: Text.optional() };
const min_spend = z.number().positive().optional();

/** A fixed price per thousand impressions. */
const FixedCpm = z.strictObject({
  ...shared,
  pricing_model: z.literal('cpm'),
  price: z.number().positive(),
  min_spend,
});

/** A price per thousand that the buyer bids, at `floor` or above. */
const AuctionCpm = z.strictObject({
  ...shared,
  pricing_model: z.literal('cpm-auction'),
  floor: z.number().positive(),
  price_guidance: PriceGuidance.optional(),
  min_spend,
});

/** One price for the whole package, whatever it delivers. */
const FlatFee = z.strictObject({ ...shared, pricing_model: z.literal('flat-fee'), price: z.number().positive() });

/**
 * A way to pay for a product, in the wire's spelling (rules B4, N2). Amounts are decimals of `currency`, exact in
 * its minor unit; `min_spend` is the least budget of a package that takes this option.
 */
export const PricingOption = z.discriminatedUnion('pricing_model', [FixedCpm, AuctionCpm, FlatFee]);
export type PricingOption = z.infer<typeof PricingOption>;

/** The way to pay for a product that has this id. Pure. */
export function pricingOptionOf(
  { pricing_options }: { pricing_options: readonly PricingOption[] },
  pricing_option_id: unknown,
): PricingOption | undefined {
  return pricing_options.find((one) => one.pricing_option_id === pricing_option_id);
}

/** What is published as its price, or as an auction's floor: a decimal of its currency. Pure. */
export function publishedPrice(option: PricingOption): number {
  return option.pricing_model === 'cpm-auction' ? option.floor : option.price;
}

export type PricingModel = PricingOption['pricing_model'];
