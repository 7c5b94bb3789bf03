import { AppError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { refuseUnsupported } from './unsupported.ts';

/** Of a media buy, what bounds or steers what is spent, or whom it reaches, and is not kept here: one list for all who book or change one. */
const OF_A_BUY = {
  daily_budget_cap: 'spending is not capped by the day here',
  budget_cap_timezone: 'spending is not capped by the day here',
  frequency_cap:
    'no cap counts over several packages here; send it in targeting_overlay of each, where its product offers it',
  budget_allocation: 'a budget is not divided here; each package has its own',
  bidding: 'bids are of packages',
  opportunity: 'nothing is booked for an opportunity here; what is bought is bought',
};

/** The same of a package. */
const OF_A_PACKAGE = {
  daily_budget_cap: 'spending is not capped by the day here',
  min_spend_target: 'no spend is aimed at besides the budget',
  frequency_cap: 'send it in targeting_overlay, where the product offers it',
  budget_allocation: 'a budget is not divided here',
  impressions: 'impressions are what the budget buys',
  audience_evidence_requirements: 'products show no evidence of their audiences',
  audience_evidence_pins: 'products show no evidence of their audiences',
  catalogs: 'nothing is made of catalogs here',
  catalog_ids: 'nothing is made of catalogs here',
  committed_metrics: 'no metrics are committed to beyond the price',
  optimization_goals: 'nothing is optimized towards goals here',
};

/**
 * Refuses by name, in every release, what is asked of the spending of a media buy and not kept.
 * @throws {AppError} `UNSUPPORTED_FEATURE`.
 */
export function refuseControlsOfBuy(request: JsonObject): void {
  refuseUnsupported(request, OF_A_BUY);
  assertEven(request, '');
}

/**
 * The same of a package.
 * @param at where it stands, such as `packages[0].`.
 * @throws {AppError} `UNSUPPORTED_FEATURE`.
 */
export function refuseControlsOfPackage(one: JsonObject, at: string): void {
  refuseUnsupported(one, OF_A_PACKAGE, { at });
  assertEven(one, at);
}

/** A package that leaves its budget to be divided is none that is sold here. @throws {AppError} `UNSUPPORTED_FEATURE`. */
export function assertBudgeted({ budget }: { budget?: number | null | undefined }, at: string): void {
  if (budget !== undefined && budget !== null) return;
  const field = `${at}budget`;
  throw new AppError('UNSUPPORTED_FEATURE', `${field}: each package has a budget of its own here`, {
    field,
    suggestion: 'send the most that is spent on it',
  });
}

/** What is kept needs no refusal. */
function assertEven({ pacing }: JsonObject, at: string): void {
  if (pacing === undefined || pacing === null || pacing === 'even') return;
  const field = `${at}pacing`;
  throw new AppError('UNSUPPORTED_FEATURE', `${field}: budgets are paced evenly here`, { field, suggestion: 'even' });
}
