import type { JsonObject } from '../../../platform/json-object.ts';
import type { Product } from '../../../sales/product/product.ts';
import type { Refinement } from './schema.ts';

/** The products that are left when what is to be omitted is, and nothing is asked for by name but what is named. Pure. */
export function keptAfter<T extends Product>(refine: readonly Refinement[], products: readonly T[]): T[] {
  const ids = (...actions: (Refinement['action'] | 'none')[]) =>
    new Set(refine.filter((one) => one.scope === 'product' && actions.includes(one.action ?? 'include')).map(idOf));
  const [omitted, included, alike] = [ids('omit'), ids('include'), ids('more_like_this')];
  const isNarrow = included.size > 0 && alike.size === 0 && refine.every(({ scope }) => scope === 'product');
  return products.filter(({ product_id }) => !omitted.has(product_id) && (!isNarrow || included.has(product_id)));
}

/** What became of each wish, in its order: words are searched by, and nobody bargains. Pure. */
export function refinementApplied(refine: readonly Refinement[], shown: readonly Product[]): JsonObject[] {
  const ids = new Set(shown.map(({ product_id }) => product_id));
  return refine.map((one) => {
    if (one.scope === 'request') {
      return { scope: 'request', status: 'partial', notes: 'the words lead the order of the products' };
    }
    if (one.scope === 'proposal') {
      const proposal_id = one.proposal_id ?? '';
      return { scope: 'proposal', proposal_id, status: 'unable', notes: 'no proposals are made here' };
    }
    const product_id = idOf(one);
    const told = { scope: 'product', product_id };
    if (one.action === 'omit') return { ...told, status: 'applied' };
    if (!ids.has(product_id)) return { ...told, status: 'unable', notes: 'no product of this id passes the filters' };
    if (one.ask === undefined) return { ...told, status: 'applied' };
    return { ...told, status: 'partial', notes: 'the product is as it is; the words lead the order of the others' };
  });
}

function idOf({ product_id = '' }: Refinement): string {
  return product_id;
}
