import type { CorrectedHour, DeliveredHour } from '../../../../src/adservers/simulator/delivered-hour.ts';
import type { MediaBuyId } from '../../../../src/sales/media-buy/media-buy-id.ts';
import type { FrequencyCap } from '../../../../src/sales/targeting/frequency-cap.ts';
import type { LineTargeting } from '../../../../src/sales/targeting/line-targeting.ts';

/** What the ad server runs for one package. Amounts in minor units of `currency`. */
export interface FirstAdOrderLine {
  package_id: string;
  product_id: string;
  /** The buyer's own name of the package; null when it gave none. */
  buyer_ref: string | null;
  budget_minor: number;
  currency: string;
  /** Price or bid per thousand impressions, or the flat fee. */
  rate_minor: number;
  pricing_model: 'cpm' | 'cpm-auction' | 'flat-fee';
  paused: boolean;
  /** Those that may be shown: the approved ones. Without any, the line delivers nothing. */
  creative_ids: readonly string[];
  /** The product narrowed by the buyer's overlay (rule B14). The line serves nobody outside of it. */
  targeting: LineTargeting;
  /** Absent: as often as it comes. */
  frequency_cap?: FrequencyCap;
}

/**
 * `held`: inventory is kept, nothing runs. `running`: delivers within the flight. `ended`: delivers nothing more, for good.
 */
export type FirstAdOrderState = 'held' | 'running' | 'paused' | 'ended';

/** A media buy as the ad server is to run it (timestamps, UTC). */
export interface FirstAdOrder {
  media_buy_id: MediaBuyId;
  buyer_ref: string;
  /** The `row_version` of the buy. Of two orders for one buy, the higher is the newer. */
  revision: number;
  /** When the buy was made. */
  created_at: string;
  start_time: string;
  end_time: string;
  state: FirstAdOrderState;
  lines: readonly FirstAdOrderLine[];
}

export type ReservationAnswer = { reserved: true; order_id: string } | { reserved: false; reason: string };
export type ChangeAnswer = { applied: true } | { applied: false; reason: string };

/** What was delivered from one instant to another. Hours without any delivery are left out. */
export interface DeliveryReport {
  /** How far the report reaches, in milliseconds: everything before it is in. */
  untilMs: number;
  hours: DeliveredHour[];
  corrections: CorrectedHour[];
  /** Data that should be in by now is late. */
  is_delayed: boolean;
  /** No line can spend any more, whatever time is left. */
  is_spent: boolean;
  /** Nothing will ever be added or corrected. */
  is_final: boolean;
}

/**
 * The port a seller's ad server fills. Every call may be repeated and must then change nothing: a repeated `reserve`
 * answers the order there is, a repeated `deliver` the same hours.
 */
export interface FirstAdServer {
  /** Holds the inventory of a new order. */
  reserve(order: FirstAdOrder): Promise<ReservationAnswer>;
  /**
   * Makes the order what it is to be from now on: activates, pauses, ends or changes it. An order of a lower revision than
   * the last is stale and changes nothing. Refused, with the reason for people, when it cannot be run so: a budget below
   * what was spent, above all.
   */
  apply(order: FirstAdOrder): Promise<ChangeAnswer>;
  /** Gives inventory back; nothing to give back is fine. A released order is not reserved again by a late `reserve`. */
  release(media_buy_id: MediaBuyId): Promise<void>;
  /**
   * What was delivered from an instant on which the caller has recorded everything before, until at most another; may
   * reach less far, and is then asked again. Milliseconds.
   */
  deliver(media_buy_id: MediaBuyId, fromMs: number, untilMs: number): Promise<DeliveryReport>;
}
