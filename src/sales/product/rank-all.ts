import type { Product } from './product.ts';
import type { ProductRanker, RankedProduct, RankRequest } from './ranker.ts';

/** All candidates: what the ranker answers, best first, then what it left out, in catalog order; so a brief hides nothing. */
export async function rankAll(
  ranker: ProductRanker,
  wanted: RankRequest,
  candidates: readonly Product[],
): Promise<RankedProduct[]> {
  const ranked = await ranker.rank(wanted, candidates);
  const isRanked = new Set(ranked.map(({ product }) => product.product_id));
  const match_reason = 'not ranked: the brief does not lead to it; it passes the filters';
  const others = candidates
    .filter(({ product_id }) => !isRanked.has(product_id))
    .map((product) => ({ product, score: null, match_reason }));
  return [...ranked, ...others];
}
