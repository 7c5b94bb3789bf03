import { toTimestamp } from '../../platform/clock.ts';
import { averageCpm, formatMoney } from '../../platform/money.ts';
import type { Correction } from '../../sales/delivery/delivery-facts.ts';
import { stepsIn } from '../../sales/delivery/granularity.ts';
import type { Granularity, Step } from '../../sales/delivery/granularity.ts';
import { sumMeasures } from '../../sales/delivery/measure.ts';
import type { Measure } from '../../sales/delivery/measure.ts';
import type { Fact } from '../../sales/delivery/read-delivery.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { AggregatedTotals, Delivered, DeliveredStep, DeliveryRow } from './schema.ts';

export interface RowFacts {
  range: Step;
  granularity: Granularity;
  /** Of the range, in the order of time; steps at most as long as the granularity's. */
  facts: readonly Fact[];
  corrections: readonly Correction[];
  isDelayed: boolean;
  /** Each package over time, too, in these. */
  packagesBy?: readonly Granularity[];
}

/** What one buy delivered, with its exact sum. Packages and steps without delivery stand there with zeros. Pure. */
export function deliveryRow(buy: MediaBuy, given: RowFacts): { row: DeliveryRow; total: Measure } {
  const { range, granularity, facts, corrections, isDelayed, packagesBy } = given;
  const { currency } = buy;
  const show = (measure: Measure) => delivered(measure, currency);
  const total = sumMeasures(facts);
  const mine = groupBy(facts, ({ package_id }) => package_id);
  const over = (by: Granularity, of: readonly Fact[]): DeliveredStep[] =>
    measuresBy(stepsIn(range, by), of).map(({ step, measure }) => ({ ...period(step), ...show(measure) }));
  const row: DeliveryRow = {
    media_buy_id: buy.media_buy_id,
    buyer_ref: buy.buyer_ref,
    status: isDelayed ? 'reporting_delayed' : buy.status,
    currency,
    granularity,
    date_range: period(range),
    delivery: show(total),
    by_package: buy.packages.map(({ package_id, buyer_ref }) => ({
      package_id,
      ...(buyer_ref !== null && { buyer_ref }),
      ...show(sumMeasures(mine.get(package_id) ?? [])),
      ...(packagesBy && {
        timeseries: Object.fromEntries(packagesBy.map((by) => [by, over(by, mine.get(package_id) ?? [])])),
      }),
    })),
    timeseries: over(granularity, facts),
    corrections: corrections.map(({ package_id, hour, recorded_at, before, after }) => ({
      ...{ package_id, hour, recorded_at },
      before: show(before),
      after: show(after),
    })),
  };
  return { row, total };
}

/** The sum over rows (rule B10, `aggregated_totals`). Pure. */
export function aggregate(rows: readonly { row: DeliveryRow; total: Measure }[]): AggregatedTotals {
  const all = sumMeasures(rows.map(({ total }) => ({ ...total, spend_minor: 0 })));
  const byCurrency = groupBy(rows, ({ row }) => row.currency);
  const spend_by_currency = [...byCurrency].map(([currency, same]) => ({
    currency,
    spend: formatMoney(sumMeasures(same.map(({ total }) => total)).spend_minor, currency),
  }));
  const only = spend_by_currency.length === 1 ? spend_by_currency[0] : undefined;
  const { impressions, clicks } = all;
  return { media_buy_count: rows.length, impressions, clicks, spend_by_currency, ...only };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function measuresBy(steps: readonly Step[], facts: readonly Fact[]): { step: Step; measure: Measure }[] {
  let next = 0;
  return steps.map((step) => {
    const first = next;
    while ((facts[next]?.fromMs ?? Infinity) < step.untilMs) next += 1;
    return { step, measure: sumMeasures(facts.slice(first, next)) };
  });
}

function delivered({ impressions, spend_minor, clicks }: Measure, currency: string): Delivered {
  return {
    impressions,
    spend: formatMoney(spend_minor, currency),
    clicks,
    ...(impressions > 0 && {
      // Six decimals of a ratio.
      ctr: Math.round((clicks / impressions) * 1e6) / 1e6,
      cpm: formatMoney(averageCpm(spend_minor, impressions), currency),
    }),
  };
}

function period({ fromMs, untilMs }: Step): { start: string; end: string } {
  return { start: toTimestamp(fromMs), end: toTimestamp(untilMs) };
}
