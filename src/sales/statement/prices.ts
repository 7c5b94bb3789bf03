import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { ceilHour } from '../../platform/hours.ts';
import { cpmCost, unitCost } from '../../platform/money.ts';
import type { AdPricingModel } from '../ad-server/ad-order.ts';
import type { LineTerms, PricePeriod } from './buy-terms.ts';
import type { Counted } from './stated-hours.ts';

/**
 * The price in force in an hour of UTC, and the name of its period: a new price holds from the next whole hour, the first one
 * from the beginning.
 */
export function priceIn(prices: readonly PricePeriod[], hourMs: number): { period: string; rate_minor: number } {
  const index = prices.findLastIndex(({ from }, i) => i === 0 || ceilHour(fromTimestamp(from)) <= hourMs);
  const price = prices[index];
  if (price === undefined) throw new RangeError('a line without a price');
  const period = index === 0 ? 'first' : toTimestamp(ceilHour(fromTimestamp(price.from)));
  return { period, rate_minor: price.rate_minor };
}

/** What is paid for; a flat fee pays for none of it, and is judged by its impressions. */
export function unitsOf(model: AdPricingModel, { impressions, viewable, clicks, completions }: Counted): number {
  if (model === 'vcpm') return viewable;
  if (model === 'cpc') return clicks;
  return model === 'cpcv' ? completions : impressions;
}

/** What so many units cost, rounded once. @throws {RangeError} when it cannot be counted. */
export function costOf(model: AdPricingModel, units: number, rate_minor: number): number {
  return model === 'cpc' || model === 'cpcv' ? unitCost(units, rate_minor) : cpmCost(units, rate_minor);
}

/** How many units a budget buys, about. */
export function unitsFor(model: AdPricingModel, budget_minor: number, rate_minor: number): number {
  const one = model === 'cpc' || model === 'cpcv' ? 1 : 1000;
  return rate_minor === 0 ? Infinity : (budget_minor * one) / rate_minor;
}

/** What of a flat fee is due by an instant: its share by time, rounded down; all of it at the end. */
export function feeDue({ start, end }: Pick<LineTerms, 'start' | 'end'>, rate_minor: number, byMs: number): number {
  const startMs = fromTimestamp(start);
  const flightMs = fromTimestamp(end) - startMs;
  const elapsedMs = Math.min(flightMs, Math.max(0, byMs - startMs));
  return Number((BigInt(rate_minor) * BigInt(elapsedMs)) / BigInt(flightMs));
}
