import { fromTimestamp } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { StatementRow } from '../ad-server/statement.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { lineEnd } from '../media-buy/media-buy-package.ts';
import type { DeliveryBook } from '../statement/delivery-book.ts';
import { hourOf } from '../statement/stated-hours.ts';

/**
 * Whether a line of a buy that runs has delivered until the hour before the newest one, and nothing in that: as if a person at
 * the ad server had stopped it. Pure.
 * @param rows Of the buy, as stated now.
 * @param until Every hour before it is recorded; a timestamp.
 */
export function hasFallenSilent(
  buy: MediaBuy,
  { lines }: Pick<DeliveryBook, 'lines'>,
  rows: readonly StatementRow[],
  until: string,
): boolean {
  if (buy.status !== 'active' || holdingOf(buy)?.state !== 'running' || until > buy.end_time) return false;
  const newestMs = fromTimestamp(until) - HOUR_MS;
  return buy.packages.some((line) => {
    const { package_id, paused, budget_minor } = line;
    const billed = lines[package_id]?.billed_minor ?? 0;
    if (paused || billed >= budget_minor || until > lineEnd(buy, line)) return false;
    const inHour = (hourMs: number) =>
      rows.some((row) => row.package_id === package_id && hourOf(row) === hourMs && row.counts.impressions > 0);
    return !inHour(newestMs) && inHour(newestMs - HOUR_MS);
  });
}
