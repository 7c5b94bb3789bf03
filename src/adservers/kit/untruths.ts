import { fromTimestamp } from '../../platform/clock.ts';
import type { AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { Statement } from '../../sales/ad-server/statement.ts';
import type { WorldLie } from './world.ts';

/** How many times its true count an hour must come to, to be held for a lie. */
const ABSURD = 100;

/** What is known from before, to judge a statement by. */
export interface KnownTruth {
  order: Pick<AdOrder, 'media_buy_id' | 'lines'>;
  /** An honest statement of the same time, from before. */
  rows: Statement['rows'];
  completeUntilMs: number;
  /** What time it is in the order's flight. */
  nowMs: number;
}

/** In which ways a statement can be seen to lie, from what the port carries. Pure. */
export function untruthsIn(pages: readonly Statement[], known: KnownTruth): Set<WorldLie> {
  const found = new Set<WorldLie>();
  const packages = new Set(known.order.lines.map(({ package_id }) => package_id));
  for (const row of pages.flatMap(({ rows }) => rows)) {
    const { counts, spend_minor = 0, media_buy_id, package_id, hour } = row;
    const amounts = [counts.impressions, counts.clicks, counts.completions ?? 0, counts.viewable ?? 0, spend_minor];
    if (amounts.some((amount) => amount < 0)) found.add('negative');
    if (fromTimestamp(hour) >= known.nowMs) found.add('future');
    if (media_buy_id !== known.order.media_buy_id || !packages.has(package_id)) found.add('foreign');
    const [truth] = known.rows.filter((before) => before.package_id === package_id && before.hour === hour);
    if (truth !== undefined && counts.impressions > truth.counts.impressions * ABSURD) found.add('thousandfold');
  }
  for (const { complete_until } of pages) {
    const until = typeof complete_until === 'object' ? complete_until[known.order.media_buy_id] : complete_until;
    if (until !== undefined && fromTimestamp(until) < known.completeUntilMs) found.add('going_back');
  }
  return found;
}
