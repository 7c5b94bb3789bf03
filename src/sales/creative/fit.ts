import { formatKey } from '../format/format.ts';
import type { FormatId } from '../format/format.ts';
import type { Product } from '../product/product.ts';
import type { Creative } from './creative.ts';

/** Why a creative cannot be assigned to a package of a product, and what can; undefined when it can. */
export interface Misfit {
  code: 'INVALID_REQUEST' | 'INVALID_STATE';
  message: string;
  suggestion?: string;
}

/**
 * Whether a creative may be assigned to a package of a product: it is not archived, and the product takes its format. One
 * in review, or rejected and to be mended, may: the package waits for it. A product that is no longer in the catalog
 * takes whatever it took. Pure.
 */
export function misfitOf(
  creative: Pick<Creative, 'creative_id' | 'status' | 'format_id'>,
  product: Product | undefined,
): Misfit | undefined {
  const { creative_id, status, format_id } = creative;
  if (status === 'archived') {
    return { code: 'INVALID_STATE', message: `creative ${creative_id} is archived; sync it again to use it` };
  }
  if (product === undefined || takes(product, format_id)) return undefined;
  return {
    code: 'INVALID_REQUEST',
    message: `creative ${creative_id} is of format ${format_id.id}, which product ${product.product_id} does not take`,
    suggestion: `a creative of format ${product.format_ids.map(({ id }) => id).join(', ')}`,
  };
}

function takes({ format_ids }: Product, format_id: FormatId): boolean {
  return format_ids.some((taken) => formatKey(taken) === formatKey(format_id));
}
