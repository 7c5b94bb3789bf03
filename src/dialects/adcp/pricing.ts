import type { PricingOption } from '../../sales/product/pricing-option.ts';
import type { JsonObject } from '../../platform/json-object.ts';

/** What the public protocol calls the ways to pay that are sold here. */
export const PUBLIC_PRICING_MODELS = ['cpm', 'flat_rate'] as const;

/** How 3.2 sorts them: by whether the price is known before anybody bids. Nothing here is paid by what comes of it (`contingent`). */
export const PUBLIC_PRICING_STRUCTURES = ['fixed', 'auction'] as const;

/** Which of these an option is. Pure. */
export function pricingStructure({ pricing_model }: PricingOption): (typeof PUBLIC_PRICING_STRUCTURES)[number] {
  return pricing_model === 'cpm-auction' ? 'auction' : 'fixed';
}

/** A pricing option in public words: amounts are decimals of its currency on both sides. Pure. */
export function publicPricing(option: PricingOption): JsonObject {
  const { pricing_option_id, currency } = option;
  const shared = { pricing_option_id, currency };
  switch (option.pricing_model) {
    case 'cpm':
      return { ...shared, pricing_model: 'cpm', fixed_price: option.price, ...leastOf(option) };
    case 'cpm-auction':
      return {
        ...{ ...shared, pricing_model: 'cpm', floor_price: option.floor },
        price_guidance: { p50: option.floor, ...option.price_guidance },
        ...leastOf(option),
      };
    case 'flat-fee':
      return { ...shared, pricing_model: 'flat_rate', fixed_price: option.price };
  }
}

function leastOf({ min_spend }: { min_spend?: number | undefined }): JsonObject {
  return min_spend === undefined ? {} : { min_spend_per_package: min_spend };
}
