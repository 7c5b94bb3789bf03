import { fromTimestamp } from '../../platform/clock.ts';
import { ceilHour } from '../../platform/hours.ts';
import type { AdCounts } from '../ad-server/line-state.ts';
import type { LineTerms } from './buy-terms.ts';
import { BLANK_LINE, overDelivery } from './delivery-book.ts';
import type { DeliveryBook } from './delivery-book.ts';
import { costOf, priceIn, unitsOf } from './prices.ts';

/**
 * What a line has cost by the counts of its whole life: what its book says, and for what is not recorded yet the price of now,
 * or the highest that held since. In minor units; more than the budget where it was overrun. Not for a flat fee. Pure.
 * @param counts Absent: all that there is stands in the book.
 */
export function costByCounts(
  { package_id, model, prices }: Pick<LineTerms, 'package_id' | 'model' | 'prices'>,
  book: Pick<DeliveryBook, 'lines' | 'complete_until'> | undefined,
  counts: AdCounts | undefined,
): number {
  const line = book?.lines[package_id] ?? BLANK_LINE;
  const periods = Object.values(line.periods);
  const owed = periods.reduce((sum, { owed_minor }) => sum + owed_minor, 0);
  const known = line.billed_minor + overDelivery(line).spend_minor + owed;
  if (counts === undefined) return known;
  const { viewable = 0, completions = 0 } = counts;
  const recorded = periods.reduce((sum, { units }) => sum + units, 0);
  const more = Math.max(0, unitsOf(model, { ...counts, viewable, completions }) - recorded);
  const sinceMs = book?.complete_until == null ? 0 : fromTimestamp(book.complete_until);
  const held = prices.filter((_, i) => {
    const next = prices[i + 1];
    return next === undefined || ceilHour(fromTimestamp(next.from)) > sinceMs;
  });
  const rate_minor = Math.max(...held.map((price) => price.rate_minor));
  // Units at one price are rounded together.
  const { period } = priceIn(prices, Number.MAX_SAFE_INTEGER);
  const before = line.periods[period]?.units ?? 0;
  return known + costOf(model, before + more, rate_minor) - costOf(model, before, rate_minor);
}
