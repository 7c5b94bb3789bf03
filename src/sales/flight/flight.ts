import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import type { BuyPartSpec } from '../media-buy/buy-part.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

/** What the seller still owes a media buy's flight: when to look at it again, and how far its delivery is recorded. */
export const Flight = z.strictObject({
  media_buy_id: MediaBuyId,
  /** When to look again, by the wall clock; null when nothing can change any more. */
  due_at: z.string().nullable(),
  /** Delivery before this hour of the flight is recorded. */
  recorded_until: z.string(),
  /** Where the flight stood when the ad server was last asked for its delivery; absent: never, or by 0.1.0. */
  asked_at: z.string().optional(),
  /** The ad server's data is late. */
  is_delayed: z.boolean(),
  revision: z.int(),
});
export type Flight = z.infer<typeof Flight>;

/** It stands in the buy's row, whose `row_version` grows by it and not the buyer's `revision`. */
export const FLIGHT_IN_BUY: BuyPartSpec<Flight> = {
  due: 'flight_due_at',
  read: ({ media_buy_id, flight, flight_due_at: due_at = null }) => flight && { media_buy_id, due_at, ...flight },
  write(buy, { media_buy_id: _id, due_at, ...flight }) {
    return { ...buy, flight, flight_due_at: due_at };
  },
};

/** Where flights stood before: each is moved into its buy's row. */
export const FlightRows: CollectionSpec<Flight> = {
  name: 'flights',
  key: 'media_buy_id',
  schema: Flight,
  indexes: [{ name: 'due', fields: ['due_at'] }],
};
