import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import { Identifier, distinct } from '../catalog-values.ts';
import { FormatId } from '../format/format.ts';
import type { Property } from '../property/property.ts';
import { pricingOptionEntry } from './pricing-option-entry.ts';
import { productFields } from './product.ts';
import type { Product } from './product.ts';

export interface ProductDefaults {
  /** Of pricing options that name no currency. */
  currency: string;
  /** The agent of formats named by id alone. */
  agentUrl: string;
}

/**
 * A product as a seller writes it in `catalog/products.json`. It names its properties by id, by tag (every property with
 * any of the tags that carries one of the product's channels), or both; and its formats as objects, or by id alone for
 * the house's own.
 */
export function productEntry(defaults: ProductDefaults) {
  const ownFormat = Identifier.transform((id): FormatId => ({ agent_url: defaults.agentUrl, id }));
  return z
    .strictObject({
      ...productFields,
      pricing_options: z.array(pricingOptionEntry(defaults.currency)).min(1),
      format_ids: z.array(z.union([ownFormat, FormatId])).min(1),
      property_ids: distinct(Identifier).min(1).optional(),
      property_tags: distinct(Identifier).min(1).optional(),
      /** What each ad server is to know of it, by the ad server's id; told to no buyer. */
      implementation_config: z.record(Identifier, JsonObject).optional(),
    })
    .refine((entry) => entry.property_ids !== undefined || entry.property_tags !== undefined, {
      path: ['property_ids'],
      error: 'must name properties by property_ids or property_tags',
    });
}
export type ProductEntry = z.infer<ReturnType<typeof productEntry>>;

/** The properties a product runs on, in the order of the catalog. Ids and tags without a property add nothing. */
function propertiesOf(entry: ProductEntry, properties: readonly Property[]): Property[] {
  const { property_ids = [], property_tags = [] } = entry;
  return properties.filter(
    (property) =>
      property_ids.includes(property.property_id) ||
      (property.tags.some((tag) => property_tags.includes(tag)) && sharesChannel(entry, property)),
  );
}

export function sharesChannel(entry: Pick<ProductEntry, 'channels'>, property: Pick<Property, 'channels'>): boolean {
  return property.channels.some((channel) => entry.channels.includes(channel));
}

/** The product as answered, with its properties found in the catalog. */
export function toProduct(entry: ProductEntry, properties: readonly Property[]): Product {
  const { property_ids: _ids, property_tags: _tags, implementation_config: _config, ...answered } = entry;
  const byDomain = new Map<string, string[]>();
  for (const { publisher_domain, property_id } of propertiesOf(entry, properties)) {
    byDomain.set(publisher_domain, [...(byDomain.get(publisher_domain) ?? []), property_id]);
  }
  return {
    ...answered,
    publisher_properties: [...byDomain].map(([publisher_domain, ids]) => ({
      publisher_domain,
      selection_type: 'by_id' as const,
      property_ids: ids,
    })),
  };
}
