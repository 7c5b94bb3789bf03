import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { AdCounts } from './line-state.ts';

/** How the embedded simulator is steered for tests of the public protocol; a real ad server never is. */
export interface SteeredAdServer {
  /** Moves the flight of an order ahead of its clock, in milliseconds; never back. Answers whether there is such an order. */
  moveAhead(media_buy_id: MediaBuyId, aheadMs: number): Promise<boolean>;
  /** Has it deliver so much in an hour of a line, whatever it would have delivered. Spend in minor units. */
  deliver(hour: {
    media_buy_id: MediaBuyId;
    package_id: string;
    /** The hour's first instant, a timestamp of the flight. */
    hour: string;
    counts: Pick<AdCounts, 'impressions' | 'clicks'>;
    spend_minor: number;
  }): Promise<void>;
}
