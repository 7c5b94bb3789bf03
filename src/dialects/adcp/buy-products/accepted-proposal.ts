import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { overlayTold } from '../media-buys/dayparts.ts';
import type { CreateMediaBuyResponse } from '../../../tasks/create-media-buy/schema.ts';

/** What of a purchase is kept from its request, to stand in the terms that were accepted. */
export interface AgreedPurchase extends JsonObject {
  /** The published price, as it was when it was bought. */
  pricing: JsonObject;
}

/** What of all is kept so. */
export interface Agreed extends JsonObject {
  name?: string;
  source_feed_version: string;
  brand: JsonObject;
  purchases: AgreedPurchase[];
}

/**
 * The terms that a media buy was booked on, as an accepted proposal of 3.2. From what was asked and what the booking came to, and not
 * from the media buy as it stands: the same at any later time. Pure.
 */
export function acceptedProposal(booked: CreateMediaBuyResponse, agreed: Agreed): JsonObject {
  const { media_buy_id, currency, total_budget, start_time, end_time, created_at: accepted_at } = booked;
  const { name = 'Purchase of published products', purchases, ...said } = agreed;
  const commercial_terms = {
    ...said,
    purchases: booked.packages.map((line, i) => ({
      ...{ product_id: line.product_id, pricing_option_id: line.pricing_option_id, budget: line.budget },
      ...(line.bid_price !== undefined && { bidding: { max_bid: line.bid_price } }),
      ...(line.targeting_overlay !== undefined && { targeting_overlay: overlayTold(line.targeting_overlay, '3.2') }),
      ...purchases[i],
      ...{ start_time: line.start_time ?? start_time, end_time: line.end_time ?? end_time },
    })),
    ...{ start_time, end_time, total_budget: { amount: total_budget, currency } },
  };
  return {
    ...{ proposal_id: `accepted-${media_buy_id}`, proposal_kind: 'new_media_buy', proposal_status: 'accepted' },
    ...{ name, media_buy_id, accepted_at, commercial_terms, terms_digest: termsDigest(commercial_terms) },
  };
}

/** What the protocol holds terms by: SHA-256 over their canonical form (RFC 8785). */
export function termsDigest(terms: JsonObject): string {
  return `sha256:${createHash('sha256').update(canonicalJson(terms)).digest('base64url')}`;
}
