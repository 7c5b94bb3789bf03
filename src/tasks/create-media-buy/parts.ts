import { isObject } from '../../platform/json-object.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { pricePackage } from '../../sales/media-buy/package-pricing.ts';
import type { Problem } from '../problems.ts';
import { planFlight, repeatedRefs, unknownProduct } from './plan.ts';
import { CreateMediaBuyRequest, MAX_PACKAGES, PackageRequest } from './schema.ts';

const { product_id: ProductId, buyer_ref: BuyerRef } = PackageRequest.shape;
const Flight = CreateMediaBuyRequest.pick({ start_time: true, end_time: true });

/**
 * What is wrong with the parts of a request that fit the schema when others do not: products that nobody sells, prices, and
 * the calendar. What it says of a place that does not fit is no news to who knows what the schema says. Never throws.
 */
export function problemsOfParts(request: unknown, catalog: Catalog, nowMs: number): Problem[] {
  if (!isObject(request)) return [];
  const sent = Array.isArray(request['packages']) ? request['packages'].slice(0, MAX_PACKAGES) : [];
  const packages = sent.map((one: unknown) => (isObject(one) ? one : {}));
  const productOf = (one: Package) => catalog.products.get(ProductId.safeParse(one['product_id']).data ?? '');
  const products = packages.flatMap((one) => productOf(one) ?? []);
  const flight = Flight.safeParse({ start_time: request['start_time'], end_time: request['end_time'] });
  return [
    ...(flight.success ? planFlight(flight.data, products, nowMs).problems : []),
    ...packages.flatMap((one, i) => problemsOfPackage(one, productOf(one), ['packages', i])),
    ...repeatedRefs(packages.map((one) => ({ buyer_ref: BuyerRef.safeParse(one['buyer_ref']).data }))),
  ];
}

type Package = Readonly<Record<string, unknown>>;

function problemsOfPackage(
  one: Package,
  product: Parameters<typeof pricePackage>[0] | undefined,
  at: readonly PropertyKey[],
): Problem[] {
  const named = ProductId.safeParse(one['product_id']);
  if (!named.success) return [];
  if (product === undefined) return [unknownProduct(named.data, at)];
  const { pricing_option_id, budget, bid_price } = one;
  const priced = pricePackage(product, { pricing_option_id, budget, bid_price }, at);
  return priced.ok ? [] : priced.problems;
}
