import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import type { Product } from '../../../sales/product/product.ts';
import { publicChannels } from '../channels.ts';
import { productOptions } from '../formats/format-options.ts';
import { allowedActions } from '../get-products/allowed-actions.ts';
import type { ProductFacts } from '../get-products/allowed-actions.ts';
import { overlaySupport } from '../get-products/overlay-support.ts';
import { reportingCapabilities } from '../get-products/product.ts';
import { publicPricing } from '../pricing.ts';

/** A product in the form of the lists of 3.2, which has canonical formats alone and no room for anything besides. Pure. */
export function listedProduct(
  product: Product,
  { catalog, fields = [], ...facts }: ProductFacts & { catalog: Catalog; fields?: readonly string[] | undefined },
): JsonObject {
  const { release } = facts;
  const { product_id, name, description, delivery_type, publisher_properties } = product;
  const options = productOptions(product, catalog, release);
  const whole = {
    ...{ product_id, name, description, publisher_properties, delivery_type },
    channels: publicChannels(product.channels),
    ...(options.length > 0 && {
      format_options: options.map(({ format_option_id, format_kind, params }) => ({
        ...{ format_option_id, format_kind, params },
      })),
    }),
    pricing_options: product.pricing_options.map(publicPricing),
    reporting_capabilities: reportingCapabilities(release),
    ...overlaySupport(product, release),
    ...allowedActions(product, facts, true),
  };
  if (fields.length === 0) return whole;
  return Object.fromEntries(Object.entries(whole).filter(([field]) => ALWAYS.has(field) || fields.includes(field)));
}

const ALWAYS = new Set(['product_id', 'name']);
