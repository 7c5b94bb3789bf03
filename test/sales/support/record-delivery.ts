import type { DeliveryReport } from '../../adservers/simulator/first/first-port.ts';
import { fromTimestamp } from '../../../src/platform/clock.ts';
import type { MediaBuyId } from '../../../src/sales/media-buy/media-buy-id.ts';
import type { DeliveryFacts } from '../../../src/sales/delivery/delivery-facts.ts';
import { writeHours } from '../../../src/sales/delivery/write-hours.ts';

/**
 * Records what an ad server of the first port reports. Safe to repeat and to be killed anywhere; a report is done with when
 * this has resolved.
 * @param recorded_at When, for corrections; a timestamp.
 */
export async function recordDelivery(
  facts: DeliveryFacts,
  media_buy_id: MediaBuyId,
  { hours, corrections }: Pick<DeliveryReport, 'hours' | 'corrections'>,
  recorded_at: string,
): Promise<void> {
  const clock = { now: () => fromTimestamp(recorded_at) };
  await writeHours({ ...facts, clock }, media_buy_id, [...hours, ...corrections], recorded_at);
}
