import { canonicalJson } from '../../../platform/crypto/canonical-json.ts';
import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { parseMoney } from '../../../platform/money.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { pricingOptionOf, publishedPrice } from '../../../sales/product/pricing-option.ts';
import type { PricingOption } from '../../../sales/product/pricing-option.ts';
import type { FeedVersions } from '../get-products/feed-version.ts';
import { publicPricing } from '../pricing.ts';
import { refuseUnsupported } from '../unsupported.ts';
import type { AgreedPurchase } from './accepted-proposal.ts';
import type { AdcpBuyProductsRequest, AdcpPurchase } from './schema.ts';

/** Of one purchase, what cannot be kept here, besides what cannot be of any package. */
const NOT_OF_ONE = {
  creatives: 'creatives come by sync_creatives',
  creative_assignments: 'creatives are assigned by sync_creatives',
};

/** What was listed is what is bought: in that version, and at that price. @throws {AppError} `CONFLICT` for what has changed since. */
export function assertPublished(
  catalog: Catalog,
  { wholesale_feed_version, pricing_version }: FeedVersions,
  request: AdcpBuyProductsRequest,
): void {
  if (request.feed_version !== wholesale_feed_version) throw changed('feed_version');
  if (request.pricing_version !== undefined && request.pricing_version !== pricing_version) {
    throw changed('pricing_version');
  }
  request.purchases.forEach((one, i) => {
    const option = optionOf(catalog, one);
    if (one.pricing === undefined || option === undefined) return;
    if (canonicalJson(one.pricing) !== canonicalJson(publicPricing(option))) throw changed(`purchases[${i}].pricing`);
  });
}

function changed(field: string): AppError {
  return new AppError('CONFLICT', `${field}: this is not what is published now`, {
    field,
    suggestion: 'call list_products, see whether its terms suit you, and buy by its feed_version',
  });
}

/** A total is told again: it is the sum of the purchases, or refused. @throws {AppError} `INVALID_REQUEST`. */
export function assertTotal(catalog: Catalog, { total_budget: total, purchases }: AdcpBuyProductsRequest): void {
  if (total === undefined) return;
  const options = purchases.flatMap((one) => optionOf(catalog, one) ?? []);
  const { currency } = total;
  if (options.some((option) => option.currency !== currency)) {
    throw invalidRequest('total_budget.currency', 'send the currency that the products are priced in');
  }
  if (options.length < purchases.length) return;
  const amounts = purchases.map(({ budget }) => parseMoney(budget, currency));
  const sum = amounts.reduce((all, one) => all + (one.ok ? one.minor : 0), 0);
  const said = parseMoney(total.amount, currency);
  // What is no amount at all, the task says of each purchase.
  if (amounts.every(({ ok }) => ok) && (!said.ok || said.minor !== sum)) {
    throw invalidRequest('total_budget.amount', 'is not the sum of the purchases; send that, or leave it out');
  }
}

/** A purchase as a package. @param at where it stands, such as `purchases[0].`. @throws {AppError} for what cannot be kept. */
export function packageOf(one: AdcpPurchase, at: string): JsonObject {
  refuseUnsupported(one, NOT_OF_ONE, { at });
  const { pricing: _published, targeting_overlay, ...asked } = one;
  const overlay = Object.entries(targeting_overlay ?? {}).filter(([, value]) => value !== null);
  return {
    ...asked,
    ...(overlay.length > 0 && { targeting_overlay: Object.fromEntries(overlay) }),
  };
}

/** What stands of it in the terms, besides what it was booked as. `told`: what is told again of its package, with what was agreed. */
export function agreedPurchase(catalog: Catalog, one: AdcpPurchase, { measurement_terms }: JsonObject): AgreedPurchase {
  const option = optionOf(catalog, one);
  const { format_option_refs, context, ext, pacing, agency_estimate_number } = one as AdcpPurchase & JsonObject;
  const named = { format_option_refs, context, ext, pacing, agency_estimate_number, measurement_terms };
  const said = Object.entries(named);
  return {
    pricing: option === undefined ? {} : publicPricing(option),
    ...Object.fromEntries(said.filter(([, value]) => value !== undefined && value !== null)),
  };
}

/** The request of our own that books at what is published now and at no other price, whenever it comes to that. Pure. */
export function atPublishedPrices(catalog: Catalog, input: JsonObject): JsonObject {
  const packages = (input['packages'] as (AdcpPurchase & JsonObject)[]).map((one) => {
    const option = optionOf(catalog, one);
    if (option === undefined) return one;
    return { ...one, currency: option.currency, price: publishedPrice(option) };
  });
  return { ...input, packages };
}

function optionOf(
  catalog: Catalog,
  { product_id, pricing_option_id }: Pick<AdcpPurchase, 'product_id' | 'pricing_option_id'>,
): PricingOption | undefined {
  const product = catalog.products.get(product_id);
  return product && pricingOptionOf(product, pricing_option_id);
}
