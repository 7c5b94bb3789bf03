import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { lineEnd, lineStart } from '../media-buy/media-buy-package.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import type { BuyTerms } from '../statement/buy-terms.ts';
import type { FlightClock } from './flight-clock.ts';

/** What the book must know of a buy to judge and to bill its statements. Instants of the flight. Pure. */
export function termsOf(buy: MediaBuy, flightClock: FlightClock, flightMs: number, recorded_until: string): BuyTerms {
  const overMs = overAtMs(buy, flightClock);
  const { media_buy_id, created_at, end_time: end, dropped_packages = [] } = buy;
  return {
    ...{ media_buy_id, created_at, now: toTimestamp(flightMs), recorded_until },
    ...(overMs !== undefined && overMs < fromTimestamp(end) && { stopped_at: toTimestamp(overMs) }),
    ...(dropped_packages.length > 0 && { dropped: dropped_packages }),
    lines: buy.packages.map((line) => ({
      ...{ package_id: line.package_id, model: line.pricing_model, budget_minor: line.budget_minor },
      ...{ start: lineStart(buy, line), end: lineEnd(buy, line) },
      ...(line.peak_budget_minor !== undefined && { peak_budget_minor: line.peak_budget_minor }),
      prices: line.prices ?? [{ from: created_at, rate_minor: line.bid_price_minor ?? line.price_minor ?? 0 }],
    })),
  };
}

/** When a buy came to its end, in milliseconds of its flight; undefined while it has not. */
export function overAtMs(buy: MediaBuy, flightClock: FlightClock): number | undefined {
  if (!isTerminalBuy(buy.status)) return undefined;
  const at = buy.history.find(({ to_status }) => isTerminalBuy(to_status))?.at ?? buy.updated_at;
  return flightClock.at(buy, fromTimestamp(at));
}
