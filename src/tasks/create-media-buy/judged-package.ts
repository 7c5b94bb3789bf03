import type { Description } from '../../sales/ad-server/description.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { pricePackage } from '../../sales/media-buy/package-pricing.ts';
import type { PackagePrice } from '../../sales/media-buy/package-pricing.ts';
import { pricingOptionOf } from '../../sales/product/pricing-option.ts';
import { offeredBy } from '../../sales/targeting/offered-targeting.ts';
import { askedTargeting } from '../asked-targeting.ts';
import type { Problem } from '../../platform/errors.ts';
import type { PackageParts } from './parts.ts';
import type { PackageRequest } from './schema.ts';
import { unsoldThere } from './sold-there.ts';

/** What a package that is asked for is checked against. */
export interface PackageFacts {
  catalog: Catalog;
  /** What the ad server can do; undefined where it is not known, or the request was taken before. */
  adServer?: Pick<Description, 'targeting' | 'cap_units' | 'limits' | 'currencies' | 'pricing'> | undefined;
}

/** What a package adds to the total, as far as that is known, and what is wrong with it. `at`: its place in the request. Pure. */
export function judgedPackage(
  wanted: PackageParts,
  at: readonly PropertyKey[],
  { catalog, adServer }: PackageFacts,
): { amount?: Pick<PackagePrice, 'currency' | 'budget_minor'>; problems: Problem[] } {
  const { product_id, targeting_overlay = {}, pricing_option_id, budget, bid_price, currency, price } = wanted;
  if (product_id === undefined) return { problems: [] };
  const product = catalog.products.get(product_id);
  // What a budget may be beside its sign hangs on the product.
  if (product === undefined)
    return {
      problems: [unknownProduct(product_id, at), ...(budget !== undefined && budget <= 0 ? [notPositive(at)] : [])],
    };
  const checks = { product_id, offered: offeredBy(product), adServer };
  const targeting = askedTargeting(targeting_overlay, checks, [...at, 'targeting_overlay']);
  const priced = pricePackage(product, { pricing_option_id, budget, bid_price, currency, price }, at);
  if (priced.ok) {
    const { delivery_type } = product;
    const unsold = adServer === undefined ? [] : unsoldThere({ ...priced.price, delivery_type }, adServer, at);
    return { amount: priced.price, problems: [...targeting, ...unsold] };
  }
  const option = pricingOptionOf(product, pricing_option_id);
  return {
    ...(option !== undefined && { amount: { currency: option.currency, budget_minor: 0 } }),
    problems: [...targeting, ...priced.problems],
  };
}

function unknownProduct(product_id: string, at: readonly PropertyKey[]): Problem {
  const message = `no product has the id ${product_id}; get_products lists those there are`;
  return { code: 'PRODUCT_NOT_FOUND', path: [...at, 'product_id'], message };
}

function notPositive(at: readonly PropertyKey[]): Problem {
  return { code: 'INVALID_REQUEST', path: [...at, 'budget'], message: 'must be greater than 0' };
}

/** Pure. */
export function tooManyPackages(most: number, path: readonly PropertyKey[]): Problem {
  const message = `the ad server takes at most ${most} packages in one media buy; make several`;
  return { code: 'INVALID_REQUEST', path, message };
}

/** Two packages with one `buyer_ref` could not be told apart later. `taken`: those that others of the buy have. Pure. */
export function repeatedRefs(
  packages: readonly Pick<PackageRequest, 'buyer_ref'>[],
  at: readonly PropertyKey[],
  taken: ReadonlySet<string> = new Set(),
): Problem[] {
  const seen = new Set<string>();
  return packages.flatMap(({ buyer_ref }, i): Problem[] => {
    if (buyer_ref === undefined) return [];
    const isRepeated = seen.has(buyer_ref);
    seen.add(buyer_ref);
    if (!isRepeated && !taken.has(buyer_ref)) return [];
    const by = isRepeated ? 'an earlier package of this request' : 'another package of the media buy';
    const message = `is used by ${by}; give each its own`;
    return [{ code: 'INVALID_REQUEST', path: [...at, i, 'buyer_ref'], message }];
  });
}
