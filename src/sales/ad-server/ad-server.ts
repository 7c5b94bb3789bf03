/** What the ad server is asked to hold for one package. Amounts in minor units of `currency`. */
export interface ReservationLine {
  package_id: string;
  product_id: string;
  budget_minor: number;
  currency: string;
  /** Price or bid per thousand impressions, or the flat fee. */
  rate_minor: number;
  pricing_model: 'cpm' | 'cpm-auction' | 'flat-fee';
}

/** An order for a media buy's inventory over its flight (timestamps, UTC). */
export interface ReservationOrder {
  media_buy_id: string;
  start_time: string;
  end_time: string;
  lines: readonly ReservationLine[];
}

export type ReservationAnswer = { reserved: true; order_id: string } | { reserved: false; reason: string };

/**
 * The port a seller's ad server fills. Every call may be repeated with the same ids and must then change nothing:
 * a repeated `reserve` answers the order there is.
 */
export interface AdServer {
  reserve(order: ReservationOrder): Promise<ReservationAnswer>;
  /** Gives inventory back; nothing to give back is fine. A released order is not reserved again by a late `reserve`. */
  release(media_buy_id: string): Promise<void>;
}
