import type { JsonObject } from '../../../platform/json-object.ts';
import { METRICS } from '../../../sales/delivery/metrics.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { Delivered, DeliveredStep, DeliveryRow } from '../../../tasks/get-media-buy-delivery/schema.ts';
import { packagePrice } from '../media-buys/package-price.ts';

type Measuring = (delivered: Partial<Delivered>) => JsonObject;

/** Told whatever metrics are asked for. */
const ALWAYS = ['impressions', 'spend'];

/** Of what was delivered, the metrics asked for; all where none are. Those that nothing here is counted in are passed over. Pure. */
export function measuring(asked: readonly string[] | undefined): Measuring {
  const names = METRICS.filter((name) => asked === undefined || ALWAYS.includes(name) || asked.includes(name));
  return (delivered) =>
    Object.fromEntries(names.flatMap((name) => (delivered[name] === undefined ? [] : [[name, delivered[name]]])));
}

interface Showing {
  has_windows?: boolean;
  has_package_days?: boolean;
  only: Measuring;
}

/** What a media buy delivered: in whole, by package and over time, all from the same counts. Pure. */
export function deliveredBy(
  row: DeliveryRow,
  buy: MediaBuy | undefined,
  { has_windows = false, has_package_days = false, only }: Showing,
): JsonObject {
  return {
    totals: only(row.delivery),
    by_package: row.by_package.map((one) => ({
      package_id: one.package_id,
      ...only(one),
      ...(buy && packagePrice(buy, one.package_id)),
      ...(has_package_days && { daily_breakdown: (one.timeseries?.daily ?? []).map(dayOf) }),
    })),
    ...(row.granularity === 'daily' && { daily_breakdown: row.timeseries.map(dayOf) }),
    ...(has_windows && { windows: row.timeseries.map((step, at) => windowOf(row, step, { at, only })) }),
  };
}

function dayOf({ start, impressions, spend }: DeliveredStep): JsonObject {
  return { date: start.slice(0, 10), impressions, spend };
}

function windowOf(
  { by_package, granularity, final_until, currency }: DeliveryRow,
  step: DeliveredStep,
  { at, only }: { at: number; only: Measuring },
): JsonObject {
  const steps = by_package.flatMap(({ package_id, timeseries = {} }) => {
    const its = timeseries[granularity as keyof typeof timeseries]?.[at];
    return its === undefined ? [] : [{ package_id, ...only(its), currency }];
  });
  return {
    ...{ window_start: step.start, window_end: step.end, totals: only(step), by_package: steps },
    is_final: final_until === null || (final_until !== undefined && Date.parse(step.end) <= Date.parse(final_until)),
  };
}
