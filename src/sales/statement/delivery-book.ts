import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Collection, CollectionSpec, Store } from '../../platform/store/collection.ts';
import { DeliveryDays, DeliveryMonths } from '../delivery/delivery-facts.ts';
import type { WritableFacts } from '../delivery/delivery-facts.ts';
import { HourChange } from '../delivery/hour-change.ts';
import { measuresIn, SLOTS_PATTERN, sumMeasures } from '../delivery/measure.ts';
import type { Measure } from '../delivery/measure.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

const Count = z.int().min(0);

/** What a line has come to, over its whole flight. */
export const LineBook = z.strictObject({
  impressions: Count,
  clicks: Count,
  /** What its hours cost the buyer, in all; minor units. */
  billed_minor: Count,
  /** By the price's period (see `priceIn`): units counted at it, and what rounding still owes to an hour of it (either sign). */
  periods: z.record(z.string(), z.strictObject({ units: Count, owed_minor: z.int() })),
  /**
   * The part of each hour that is not billed, since the budget was spent or the flight over. Slots of measures, numbered by
   * the hours since the Unix epoch.
   */
  beyond: z.string().regex(SLOTS_PATTERN),
});
export type LineBook = z.infer<typeof LineBook>;

/**
 * What is known of a buy's statements besides the facts. A day's changes and the sums after them are decided in one write of
 * this row; then they go into the facts, which may be repeated.
 */
export const DeliveryBook = z.strictObject({
  media_buy_id: MediaBuyId,
  /** Every hour that ends by then is recorded; null before the first statement. A timestamp. */
  complete_until: z.string().nullable(),
  /** Nothing before it will be stated otherwise; null where the ad server has not said. */
  final_until: z.string().nullable(),
  /** By package. */
  lines: z.record(z.string(), LineBook),
  /** The newest changes, all of one day: in the facts already, or put there before anything else is decided. */
  newest: z.strictObject({ recorded_at: z.string(), changes: z.array(HourChange) }).nullable(),
  revision: z.int(),
});
export type DeliveryBook = z.infer<typeof DeliveryBook>;

export const DeliveryBooks: CollectionSpec<DeliveryBook> = {
  name: 'delivery_books',
  key: 'media_buy_id',
  schema: DeliveryBook,
  indexes: [],
};

/** The facts, and the book that says how they came about. */
export interface BookedFacts extends WritableFacts {
  books: Collection<DeliveryBook>;
}

export const BLANK_LINE: LineBook = { impressions: 0, clicks: 0, billed_minor: 0, periods: {}, beyond: '' };

/** What a line delivered beyond what is billed, in all: for the operator. The facts count it, and no spend for it. */
export function overDelivery({ beyond }: Pick<LineBook, 'beyond'>): Measure {
  return sumMeasures(measuresIn(beyond));
}

/** The same of one package. */
export function overDeliveryOf({ lines }: Pick<DeliveryBook, 'lines'>, package_id: string): Measure {
  return overDelivery(lines[package_id] ?? BLANK_LINE);
}

/** The facts and books of a store. */
export function bookedFacts({ store, clock }: { store: Store; clock: Clock }): BookedFacts {
  const [days, months] = [store.collection(DeliveryDays), store.collection(DeliveryMonths)];
  return { days, months, books: store.collection(DeliveryBooks), clock };
}
