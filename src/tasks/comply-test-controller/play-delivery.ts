import { toTimestamp } from '../../platform/clock.ts';
import { ceilHour, HOUR_MS } from '../../platform/hours.ts';
import { apportion, cpmCost, formatMoney } from '../../platform/money.ts';
import { deliveredSoFar } from '../../sales/delivery/delivered-so-far.ts';
import { NOTHING, sumMeasures } from '../../sales/delivery/measure.ts';
import type { Measure } from '../../sales/delivery/measure.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import { flightOf, moveFlightTo } from './move-ahead.ts';
import { ControllerRefusal } from './refusal.ts';
import type { Scene } from './scene.ts';

/** An hour is believed to bring up to a hundred times its even share of the budget; half of that is surely believed. */
const SHARES_AN_HOUR = 50;

/** What a line is to deliver; spend in minor units. */
export interface LineShare extends Measure {
  line: MediaBuyPackage;
}

/**
 * Has the simulated ad server deliver so much of a buy, over as many hours of its flight as that can be believed of, and moves the
 * flight on until they are counted. The same hours again are delivered anew: nothing adds up by a repeat that was interrupted.
 * @throws {ControllerRefusal} `INVALID_STATE` for a buy that is over, or whose flight has not so many hours left.
 */
export async function playDelivery(scene: Scene, buy: MediaBuy, shares: readonly LineShare[]): Promise<MediaBuy> {
  const { flightClock, tested, adServerCan } = scene;
  const { media_buy_id, status } = buy;
  if (isTerminalBuy(status)) {
    throw new ControllerRefusal('INVALID_STATE', `media buy ${media_buy_id} is ${status} and delivers nothing`, status);
  }
  const { startMs, endMs } = flightOf(buy);
  const flightHours = (endMs - startMs) / HOUR_MS;
  const count = Math.max(1, ...shares.map((share) => Math.ceil((fractionOf(share) * flightHours) / SHARES_AN_HOUR)));
  const firstMs = ceilHour(Math.max(startMs, flightClock.now(buy)));
  const delayMs = (adServerCan()?.statements.delay_minutes ?? 0) * 60_000;
  const countedMs = firstMs + count * HOUR_MS + delayMs;
  if (countedMs >= endMs) {
    throw new ControllerRefusal('INVALID_STATE', `the flight of ${media_buy_id} has not ${count} whole hours left`);
  }
  const even = Array.from({ length: count }, () => 1);
  for (const { line, impressions, clicks, spend_minor } of shares) {
    const [shown, spent] = [apportion(impressions, even), apportion(spend_minor, even)];
    const clicked = apportion(clicks, shown);
    for (let i = 0; i < count; i += 1) {
      await tested.steered.deliver({
        ...{ media_buy_id, package_id: line.package_id, hour: toTimestamp(firstMs + i * HOUR_MS) },
        counts: { impressions: shown[i] ?? 0, clicks: clicked[i] ?? 0 },
        spend_minor: spent[i] ?? 0,
      });
    }
  }
  return moveFlightTo(scene, buy, countedMs);
}

/** The parts of a sum that each line has, by its budget. Pure. */
export function sharesOf({ packages }: MediaBuy, { impressions, clicks, spend_minor }: Measure): LineShare[] {
  const weights = packages.map(({ budget_minor }) => budget_minor);
  const [shown, spent] = [apportion(impressions, weights), apportion(spend_minor, weights)];
  // No slice is clicked more often than it is shown.
  const clicked = apportion(clicks, shown);
  return packages.map((line, i) => ({
    ...{ line, impressions: shown[i] ?? 0, clicks: clicked[i] ?? 0, spend_minor: spent[i] ?? 0 },
  }));
}

/** What of a line's budget a share would be, by its spend or its counts, whichever is more. */
function fractionOf({ line, impressions, spend_minor }: LineShare): number {
  const cost = line.pricing_model === 'flat-fee' ? 0 : cpmCost(impressions, rateOf(line));
  return Math.max(cost, spend_minor) / Math.max(1, line.budget_minor);
}

/** What a thousand impressions of a line cost, or a flat fee. Minor units. */
export function rateOf({ bid_price_minor, price_minor }: MediaBuyPackage): number {
  return bid_price_minor ?? price_minor ?? 0;
}

/** What a buy has come to. */
export async function cumulativeOf({ facts, flightClock }: Scene, buy: MediaBuy): Promise<Measure> {
  const sums = await deliveredSoFar(facts, buy, flightClock.now(buy));
  return sumMeasures([NOTHING, ...sums.values()]);
}

/** A measure in public words. */
export function toldMeasure({ impressions, clicks, spend_minor }: Measure, currency: string) {
  return { impressions, clicks, reported_spend: { amount: formatMoney(spend_minor, currency), currency } };
}
