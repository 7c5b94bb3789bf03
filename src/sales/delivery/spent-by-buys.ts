import type { MediaBuy } from '../media-buy/media-buy.ts';
import { deliveryRange } from './delivered-so-far.ts';
import { monthKey } from './delivery-facts.ts';
import type { DeliveryFacts } from './delivery-facts.ts';
import { measuresIn } from './measure.ts';
import { monthsIn } from './read-delivery.ts';

/** What each of these media buys has spent, in minor units, by its id: one read by key of a row a month of their flights. */
export async function spentByBuys(
  { months }: Pick<DeliveryFacts, 'months'>,
  buys: readonly Pick<MediaBuy, 'media_buy_id' | 'start_time' | 'end_time' | 'created_at'>[],
  flightMsOf: (buy: (typeof buys)[number]) => number,
): Promise<ReadonlyMap<string, number>> {
  const keys = buys.flatMap((buy) => {
    const untilMs = Math.min(flightMsOf(buy), Date.parse(buy.end_time));
    return monthsIn(deliveryRange(buy, untilMs)).map((month) => monthKey(buy.media_buy_id, month));
  });
  const spent = new Map<string, number>();
  if (keys.length === 0) return spent;
  for (const { media_buy_id, days } of await months.getMany(keys, { skipUnreadable: true })) {
    for (const slots of Object.values(days)) {
      const sum = measuresIn(slots).reduce((all, { spend_minor }) => all + spend_minor, 0);
      spent.set(media_buy_id, (spent.get(media_buy_id) ?? 0) + sum);
    }
  }
  return spent;
}
