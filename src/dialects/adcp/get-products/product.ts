import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import type { GetProductsResponse } from '../../../tasks/get-products/schema.ts';
import { publicChannels } from '../channels.ts';
import { publicPricing } from '../pricing.ts';
import type { Release } from '../release.ts';
import { productOptions, publicOption } from '../formats/format-options.ts';
import { allowedActions } from './allowed-actions.ts';
import type { ProductFacts } from './allowed-actions.ts';
import { overlaySupport } from './overlay-support.ts';

type Found = GetProductsResponse['products'][number];

/** A product in public words. Pure. */
export function productOf(
  product: Found,
  catalog: Catalog,
  { mode, ...facts }: ProductFacts & { mode: string },
): JsonObject {
  const { release } = facts;
  const { product_id, name, description, delivery_type, publisher_properties, format_ids, delivery_measurement } =
    product;
  const { measurement_terms, cancellation_policy, creative_policy } = catalog.products.get(product_id) ?? {};
  const options = productOptions(product, catalog, release).map(publicOption);
  return {
    ...{ product_id, name, description, delivery_type, publisher_properties, format_ids, delivery_measurement },
    channels: publicChannels(product.channels),
    ...(options.length > 0 && { format_options: options }),
    pricing_options: product.pricing_options.map(publicPricing),
    reporting_capabilities: reportingCapabilities(release),
    ...overlaySupport(product, release),
    ...allowedActions(product, facts),
    ...(measurement_terms && { measurement_terms }),
    ...(cancellation_policy && { cancellation_policy }),
    ...(creative_policy && { creative_policy }),
    ...(mode === 'brief' && { brief_relevance: product.match_reason }),
  };
}

/** What is reported of anything that is sold here. */
export function reportingCapabilities(release: Release): JsonObject {
  return {
    available_reporting_frequencies: ['hourly', 'daily', 'monthly'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: true,
    available_metrics: ['impressions', 'spend', 'clicks', 'ctr', ...(release === '3.0' ? [] : ['cpm'])],
    date_range_support: 'date_range',
    ...(release !== '3.0' && { windowed_pull_granularities: ['hourly', 'daily', 'monthly'] }),
  };
}

/** What every product must have, whichever fields are asked for. */
export const PRODUCT_ALWAYS: ReadonlySet<string> = new Set([
  ...['product_id', 'name', 'description', 'publisher_properties', 'format_ids', 'delivery_type', 'pricing_options'],
  ...['reporting_capabilities'],
]);
