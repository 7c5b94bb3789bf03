import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

/**
 * What the seller still owes a media buy's flight, apart from the buy so that counting hours does not raise its
 * `row_version`: when to look at it again, and how far its delivery is recorded.
 */
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

export const FlightRows: CollectionSpec<Flight> = {
  name: 'flights',
  key: 'media_buy_id',
  schema: Flight,
  indexes: [{ name: 'due', fields: ['due_at'] }],
};
