import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { DeliveryDay, DeliveryFacts } from '../sales/delivery/delivery-facts.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import { periodOf } from './periods.ts';
import type { BuySchedule } from './schedule.ts';

/** The days of a buy on which hours were corrected. */
export async function correctedDays({ days }: DeliveryFacts, media_buy_id: MediaBuyId): Promise<DeliveryDay[]> {
  const rows: DeliveryDay[] = [];
  let after: string | undefined;
  do {
    const where = { media_buy_id, corrected_at: { gt: '' } };
    const page = await days.find({ where, limit: 1000, ...(after !== undefined && { after }) });
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined);
  return rows;
}

/**
 * The row once these corrections are looked at: a period that was reported before is to be told anew, one that was not
 * will be reported corrected. Undefined when there are no new ones. A day's corrections only ever grow in number. Pure.
 */
export function withCorrections(
  { stretches, reported_until, to_adjust, corrections_seen }: BuySchedule,
  days: readonly Pick<DeliveryDay, 'day' | 'corrections'>[],
  endMs: number | undefined,
): Pick<BuySchedule, 'to_adjust' | 'corrections_seen'> | undefined {
  const unseen = days.filter(({ day, corrections }) => corrections.length > (corrections_seen[day] ?? 0));
  if (unseen.length === 0) return undefined;
  const hours = unseen.flatMap(({ day, corrections }) =>
    corrections.slice(corrections_seen[day] ?? 0).map(({ hour }) => hour),
  );
  const reported = hours.filter((hour) => reported_until !== null && hour < reported_until);
  const starts = reported.flatMap((hour) => {
    const period = periodOf(stretches, fromTimestamp(hour), endMs);
    return period === undefined ? [] : [toTimestamp(period.fromMs)];
  });
  return {
    to_adjust: [...new Set([...to_adjust, ...starts])].sort(),
    corrections_seen: {
      ...corrections_seen,
      ...Object.fromEntries(unseen.map(({ day, corrections }) => [day, corrections.length])),
    },
  };
}
