import type { AdPricingModel, Pacing } from '../ad-server/ad-order.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';

/** A price and the instant at which it was agreed; minor units, as `AdLine.pricing` has them. */
export interface PricePeriod {
  from: string;
  rate_minor: number;
}

/** What the book must know of a line to judge and to bill its statements. Instants are timestamps of the flight. */
export interface LineTerms {
  package_id: string;
  model: AdPricingModel;
  /** Oldest first, at least one; grows at its end, and changes no hour that is recorded. See `priceIn`. */
  prices: readonly PricePeriod[];
  /** The budget in force now. */
  budget_minor: number;
  /** The highest that ever was, where it was cut: what is stated late was delivered by it. */
  peak_budget_minor?: number;
  start: string;
  end: string;
  /** Default `even`. */
  pacing?: Pacing;
  /** How many units it was expected to deliver in an hour, where somebody knows. */
  forecast_per_hour?: number;
}

export interface BuyTerms {
  media_buy_id: MediaBuyId;
  created_at: string;
  /** Where its flight stands. */
  now: string;
  /** When it was ended before its time; what was served later is not billed. */
  stopped_at?: string;
  /** Up to where its delivery was recorded before it had a book. */
  recorded_until?: string;
  lines: readonly LineTerms[];
  /** Packages that may have been begun and never were the buy's: what is stated of them is passed over. */
  dropped?: readonly string[];
}
