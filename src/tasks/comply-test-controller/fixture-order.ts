import { z } from 'zod';
import { DAY_MS } from '../../platform/hours.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { Identifier } from '../../sales/catalog-values.ts';
import { earliestStart } from '../../sales/product/flight-limits.ts';
import type { Product } from '../../sales/product/product.ts';
import type { PricingOption } from '../../sales/product/pricing-option.ts';
import { CreateMediaBuyRequest } from '../create-media-buy/schema.ts';
import { Instant } from '../../platform/instant.ts';
import { ControllerRefusal } from './refusal.ts';

const Amount = z.number().positive().max(1_000_000_000);

/** What a fixture says of a media buy's order; what it leaves out is chosen, as long as it fits what is sold. */
export const OrderFixture = z.looseObject({
  currency: z.string().max(3).default('USD'),
  total_budget: Amount.optional(),
  start_time: Instant.optional(),
  end_time: Instant.optional(),
  packages: z
    .array(
      z.looseObject({
        package_id: z.never({ error: 'packages get their ids here; leave it out' }).optional(),
        product_id: Identifier,
        pricing_option_id: Identifier.optional(),
        budget: Amount.optional(),
        bid_price: Amount.optional(),
      }),
    )
    .min(1)
    .max(20)
    .optional(),
});
export type OrderFixture = z.infer<typeof OrderFixture>;

/** How long a flight is where the fixture does not say, within what the products allow. */
const USUAL_DAYS = 30;
/** What a package spends where nobody says, if no more is needed, in its currency. */
const USUAL_BUDGET = 1000;

/** The order that a fixture means, as a buyer would have placed it at that instant. @throws {ControllerRefusal} `INVALID_PARAMS`. */
export function orderOfFixture(
  fixture: OrderFixture,
  { catalog, nowMs, buyer_ref, brand }: { catalog: Catalog; nowMs: number; buyer_ref: string; brand: string },
): CreateMediaBuyRequest {
  const { currency, packages = [], total_budget } = fixture;
  const wanted = packages.length > 0 ? packages : [{ product_id: usualProduct(catalog, currency).product_id }];
  const lines = wanted.map(({ product_id, pricing_option_id, budget, bid_price }, i) => {
    const product = catalog.products.get(product_id);
    if (product === undefined) throw invalid(`packages.${i}.product_id: no product has the id ${product_id}`);
    const price = priceOf(product, currency, pricing_option_id);
    if (price === undefined)
      throw invalid(`packages.${i}.pricing_option_id: ${product_id} has no such price in ${currency}`);
    const even = total_budget === undefined ? undefined : total_budget / wanted.length;
    const bid = bid_price ?? (price.pricing_model === 'cpm-auction' ? price.floor : undefined);
    return {
      product,
      asked: {
        ...{ buyer_ref: `p${i}`, product_id, pricing_option_id: price.pricing_option_id },
        budget: budget ?? even ?? leastBudget(price),
        ...(bid !== undefined && { bid_price: bid }),
      },
    };
  });
  const products = lines.map(({ product }) => product);
  const startMs = fixture.start_time === undefined ? earliestStart(products, nowMs) : Date.parse(fixture.start_time);
  const days = Math.max(
    ...products.map(({ flight }) => flight.min_days),
    Math.min(USUAL_DAYS, ...products.map(({ flight }) => flight.max_days)),
  );
  const order = CreateMediaBuyRequest.safeParse({
    ...{ buyer_ref, brand_manifest: { name: brand }, packages: lines.map(({ asked }) => asked) },
    start_time: toTimestamp(startMs),
    end_time: fixture.end_time ?? toTimestamp(startMs + days * DAY_MS),
  });
  if (order.success) return order.data;
  const [issue] = order.error.issues;
  throw invalid(`${(issue?.path ?? []).join('.')}: ${issue?.message ?? 'is not valid'}`);
}

/** The first that is paid by counts in the currency. */
function usualProduct({ products }: Catalog, currency: string): Product {
  const isUsual = ({ pricing_options: [price] }: Product) =>
    price?.pricing_model === 'cpm' && price.currency === currency;
  const found = [...products.values()].find(isUsual);
  if (found === undefined) throw invalid(`currency: nothing is sold at a fixed price in ${currency}; send packages`);
  return found;
}

function priceOf({ pricing_options }: Product, currency: string, id: string | undefined): PricingOption | undefined {
  return pricing_options.find((one) => one.currency === currency && (id === undefined || one.pricing_option_id === id));
}

function leastBudget(price: PricingOption): number {
  return price.pricing_model === 'flat-fee' ? price.price : Math.max(USUAL_BUDGET, price.min_spend ?? 0);
}

function invalid(what: string): ControllerRefusal {
  return new ControllerRefusal('INVALID_PARAMS', `params.fixture.${what}`);
}
