import { formatOf } from '../../sales/catalog.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { exampleCreative } from '../../sales/creative/example-creative.ts';
import { leastBudget } from '../../sales/product/least-budget.ts';
import type { Product } from '../../sales/product/product.ts';
import type { TaskExample } from '../../runtime/task-definition.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { formatMoney, minorOf } from '../../platform/money.ts';
import { flightProblems } from '../../sales/product/flight-limits.ts';

const FLIGHT_DAYS = 90;

/** Examples that work when pasted: products of one currency that can start at once and run for three months. */
export function createMediaBuyExamples(catalog: Catalog, nowMs: number): TaskExample[] {
  const endMs = nowMs + FLIGHT_DAYS * DAY_MS;
  const flight = { orderedMs: nowMs, startMs: nowMs, endMs };
  const products = [...catalog.products.values()].filter((product) => flightProblems(product, flight).length === 0);
  const currency = products[0]?.pricing_options[0]?.currency;
  const chosen = products.filter((product) => product.pricing_options[0]?.currency === currency).slice(0, 2);
  return [
    {
      title: 'Two packages for three months',
      input: {
        buyer_ref: 'acme-trail-shoes-launch',
        brand_manifest: { name: 'Acme Outdoor', url: 'https://acme-outdoor.example', tagline: 'Made for mud' },
        packages: chosen.map(examplePackage),
        start_time: { type: 'asap' },
        end_time: toTimestamp(endMs),
      },
    },
    {
      title: 'A package that brings its creative',
      input: {
        buyer_ref: 'acme-trail-shoes-teaser',
        brand_manifest: { name: 'Acme Outdoor', url: 'https://acme-outdoor.example' },
        packages: chosen.slice(0, 1).map((product, i) => ({
          ...examplePackage(product, i),
          creatives: exampleCreatives(catalog, product),
        })),
        start_time: { type: 'asap' },
        end_time: toTimestamp(endMs),
      },
    },
  ];
}

function exampleCreatives(catalog: Catalog, { format_ids }: Product) {
  const format = format_ids.flatMap((format_id) => formatOf(catalog, format_id) ?? []).slice(0, 1);
  return format.map((one) => exampleCreative(one, 'acme-trail-teaser', `Acme trail shoes teaser, ${one.name}`));
}

function examplePackage(product: Product, i: number) {
  const option = product.pricing_options[0];
  if (option === undefined) throw new Error(`product ${product.product_id} has no pricing option`);
  const { currency } = option;
  const budget_minor = Math.max(leastBudget(option), minorOf(10_000, currency));
  return {
    buyer_ref: `package-${i + 1}`,
    product_id: product.product_id,
    pricing_option_id: option.pricing_option_id,
    budget: formatMoney(budget_minor, currency),
    ...(option.pricing_model === 'cpm-auction' && { bid_price: option.floor }),
  };
}
