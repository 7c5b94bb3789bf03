import { DAY_MS } from '../../platform/hours.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { DeliveryFacts } from './delivery-facts.ts';
import { NOTHING, sumMeasures } from './measure.ts';
import type { Measure } from './measure.ts';
import { readDelivery } from './read-delivery.ts';

/** What each package has delivered since the flight began; one that has delivered nothing has no entry. */
export async function deliveredSoFar(
  facts: DeliveryFacts,
  { media_buy_id, start_time, created_at }: Pick<MediaBuy, 'media_buy_id' | 'start_time' | 'created_at'>,
  flightMs: number,
): Promise<ReadonlyMap<string, Measure>> {
  const range = deliveryRange({ start_time, created_at }, flightMs);
  const sums = new Map<string, Measure>();
  for (const fact of await readDelivery(facts, media_buy_id, range, 'day')) {
    sums.set(fact.package_id, sumMeasures([sums.get(fact.package_id) ?? NOTHING, fact]));
  }
  return sums;
}

/** All whole days of UTC on which a buy can have delivered anything up to an instant of its flight, in milliseconds. Pure. */
export function deliveryRange(
  { start_time, created_at }: Pick<MediaBuy, 'start_time' | 'created_at'>,
  flightMs: number,
): { fromMs: number; untilMs: number } {
  const firstMs = Math.min(Date.parse(start_time), Date.parse(created_at));
  return { fromMs: Math.floor(firstMs / DAY_MS) * DAY_MS, untilMs: Math.ceil((flightMs + 1) / DAY_MS) * DAY_MS };
}
