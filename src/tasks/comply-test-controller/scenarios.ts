import { forceAccountStatus } from './force-account.ts';
import { forceCreativeStatus } from './force-creative.ts';
import { forceMediaBuyStatus } from './force-media-buy.ts';
import { seedCreativeFormat, seedPricingOption, seedProduct } from './seed-catalog.ts';
import { seedCreative } from './seed-creative.ts';
import { simulateDelivery } from './simulate-delivery.ts';
import { simulateBudgetSpend } from './simulate-spend.ts';
import type { Scenario } from './scenario.ts';

/** All that the controller can do, in the order in which it says so. */
export const SCENARIOS: readonly Scenario[] = [
  forceCreativeStatus,
  forceAccountStatus,
  forceMediaBuyStatus,
  simulateDelivery,
  simulateBudgetSpend,
  seedProduct,
  seedPricingOption,
  seedCreative,
  seedCreativeFormat,
];

export const LIST_SCENARIOS = 'list_scenarios';
