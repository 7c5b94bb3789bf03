import { forceAccountStatus } from './force-account.ts';
import { forceCreateMediaBuyArm } from './force-create-media-buy.ts';
import { forceCreativeStatus } from './force-creative.ts';
import { forceMediaBuyStatus } from './force-media-buy.ts';
import { forceTaskCompletion } from './force-task.ts';
import { seedCreativeFormat, seedPricingOption, seedProduct } from './seed-catalog.ts';
import { seedCreative } from './seed-creative.ts';
import { seedMediaBuy } from './seed-media-buy.ts';
import { simulateDelivery } from './simulate-delivery.ts';
import { simulateBudgetSpend } from './simulate-spend.ts';
import type { Scenario } from './scenario.ts';

/** All that the controller can do, in the order in which it says so. */
export const SCENARIOS: readonly Scenario[] = [
  forceCreativeStatus,
  forceAccountStatus,
  forceMediaBuyStatus,
  forceCreateMediaBuyArm,
  forceTaskCompletion,
  simulateDelivery,
  simulateBudgetSpend,
  seedProduct,
  seedPricingOption,
  seedCreative,
  seedCreativeFormat,
  seedMediaBuy,
];

export const LIST_SCENARIOS = 'list_scenarios';
