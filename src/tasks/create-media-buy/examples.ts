import { formatOf } from '../../sales/catalog.ts';
import type { Catalog } from '../../sales/catalog.ts';
import type { CreativeInput } from '../../sales/creative/creative-input.ts';
import { exampleCreative } from '../../sales/creative/example-creative.ts';
import { leastBudget } from '../../sales/product/least-budget.ts';
import type { Product } from '../../sales/product/product.ts';
import type { TaskExample } from '../../runtime/task-definition.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { formatMoney, minorOf } from '../../platform/money.ts';
import { flightProblems } from '../../sales/product/flight-limits.ts';

const FLIGHT_DAYS = 90;
const DAYS_AHEAD = 7;
const BRAND = { name: 'Acme Outdoor', url: 'https://acme-outdoor.example' };

/** Examples that work when pasted: products of one currency that can start at once and run for three months. */
export function createMediaBuyExamples(catalog: Catalog, nowMs: number): TaskExample[] {
  const startMs = nowMs + DAYS_AHEAD * DAY_MS;
  return [
    {
      title: 'Two packages for three months',
      input: {
        buyer_ref: 'acme-trail-shoes-launch',
        brand_manifest: { ...BRAND, tagline: 'Made for mud' },
        packages: chosenProducts(catalog, nowMs).map(examplePackage),
        start_time: { type: 'asap' },
        end_time: toTimestamp(nowMs + FLIGHT_DAYS * DAY_MS),
      },
    },
    { title: 'A package that brings its creative', input: exampleBuy(catalog, nowMs) },
    {
      title: 'A later start, safe to repeat, told by webhooks',
      input: {
        buyer_ref: 'acme-trail-shoes-season',
        brand_manifest: BRAND,
        packages: chosenProducts(catalog, nowMs).slice(0, 1).map(examplePackage),
        start_time: { type: 'scheduled', datetime: toTimestamp(startMs) },
        end_time: toTimestamp(startMs + FLIGHT_DAYS * DAY_MS),
        idempotency_key: 'acme-trail-shoes-season-1',
        push_notification_config: { url: WEBHOOK_URL, operation_id: 'acme-trail-shoes-season-1' },
        reporting_webhook: { url: WEBHOOK_URL, reporting_frequency: 'daily' },
      },
    },
  ];
}

const WEBHOOK_URL = 'https://acme-outdoor.example/webhooks';

/** A buy of one package that brings its creative, and so can run at once. */
export function exampleBuy(catalog: Catalog, nowMs: number) {
  return {
    buyer_ref: 'acme-trail-shoes-teaser',
    brand_manifest: BRAND,
    packages: chosenProducts(catalog, nowMs)
      .slice(0, 1)
      .map((product, i) => ({
        ...examplePackage(product, i),
        creatives: creativesFor(catalog, product, 'acme-trail-teaser', 'Acme trail shoes teaser'),
      })),
    start_time: { type: 'asap' },
    end_time: toTimestamp(nowMs + FLIGHT_DAYS * DAY_MS),
  };
}

/** A creative that fits the package of {@link exampleBuy}; none where the catalog has no product for it. */
export function exampleCreativesForPackage(catalog: Catalog, nowMs: number): CreativeInput[] {
  const [product] = chosenProducts(catalog, nowMs);
  return product === undefined ? [] : creativesFor(catalog, product, 'acme-trail-mud', 'Acme trail shoes in the mud');
}

function chosenProducts(catalog: Catalog, nowMs: number): Product[] {
  const flight = { orderedMs: nowMs, startMs: nowMs, endMs: nowMs + FLIGHT_DAYS * DAY_MS };
  const products = [...catalog.products.values()].filter((product) => flightProblems(product, flight).length === 0);
  const currency = products[0]?.pricing_options[0]?.currency;
  return products.filter((product) => product.pricing_options[0]?.currency === currency).slice(0, 2);
}

function creativesFor(catalog: Catalog, { format_ids }: Product, creative_id: string, name: string): CreativeInput[] {
  const format = format_ids.flatMap((format_id) => formatOf(catalog, format_id) ?? []).slice(0, 1);
  return format.map((one) => exampleCreative(one, creative_id, `${name}, ${one.name}`));
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
