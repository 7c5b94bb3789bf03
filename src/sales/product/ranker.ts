import type { Product } from './product.ts';

/** What a buyer said it is after. */
export interface RankRequest {
  /** Natural language; may be empty. */
  brief: string;
  /** At most this many are wanted; default all. */
  limit?: number;
  /** What the brand says of itself, in its own words; may be empty. */
  brand?: string;
}

/** A product and how well it answers the brief. */
export interface RankedProduct {
  product: Product;
  /** Above 0 to 1, 1 being the best of this answer; null when products are not ranked. */
  score: number | null;
  /** Why it is here, in words for a buyer. */
  match_reason: string;
}

/**
 * The port a seller fills to choose products for a brief — by a search, a model or a person. It answers
 * candidates only, best first, each at most once; the default is `full-text-ranker.ts`. The same request over the same
 * catalog should answer the same.
 */
export interface ProductRanker {
  rank(request: RankRequest, candidates: readonly Product[], signal?: AbortSignal): Promise<RankedProduct[]>;
}
