import { minorOf } from '../../platform/money.ts';
import type { PricingOption } from './pricing-option.ts';

/** The least budget, in minor units, of a package that takes the option: its `min_spend`, or the flat fee itself; 0 when free. */
export function leastBudget(option: PricingOption): number {
  if (option.pricing_model === 'flat-fee') return minorOf(option.price, option.currency);
  return option.min_spend === undefined ? 0 : minorOf(option.min_spend, option.currency);
}
