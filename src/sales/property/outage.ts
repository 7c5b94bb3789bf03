import { z } from 'zod';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import type { Product } from '../product/product.ts';

/** Whether advertising runs on a property. One that nobody has decided about is in service. */
export const PropertyStatus = z.enum(['in_service', 'out_of_service']);
export type PropertyStatus = z.infer<typeof PropertyStatus>;

/** Why a property was taken out of service; `brand_safety` and `fraud` cannot wait (rule C.events.6). */
export const PropertyReasonCode = z.enum(['property_unavailable', 'brand_safety', 'fraud']);
export type PropertyReasonCode = z.infer<typeof PropertyReasonCode>;

/** What was last decided about a property. */
export const Outage = z.strictObject({
  property_id: z.string(),
  status: PropertyStatus,
  reason_code: PropertyReasonCode,
  /** Words for people; null when there are none. */
  reason: z.string().nullable(),
  changed_at: z.string(),
  /**
   * Since when the media buys that run on it have not been looked at, or when they are to be looked at again, since one
   * could not be read; null when they have been.
   */
  effects_due_at: z.string().nullable(),
  revision: z.int(),
});
export type Outage = z.infer<typeof Outage>;

export const Outages: CollectionSpec<Outage> = {
  name: 'property_outages',
  key: 'property_id',
  schema: Outage,
  indexes: [
    { name: 'effects_due', fields: ['effects_due_at'] },
    { name: 'by_status', fields: ['status'] },
  ],
};

type Products = ReadonlyMap<string, Pick<Product, 'publisher_properties'>>;

/** The properties a product runs on; none for a product that is no longer sold. */
export function propertiesOf(products: Products, product_id: string): string[] {
  return (products.get(product_id)?.publisher_properties ?? []).flatMap(({ property_ids }) => property_ids);
}

/** The outages that keep products from running at all: those of which every property is out of service, by product. */
export async function readOutages(
  { outages, products }: { outages: Collection<Outage>; products: Products },
  product_ids: readonly string[],
): Promise<ReadonlyMap<string, Outage[]>> {
  const named = new Map([...new Set(product_ids)].map((id) => [id, propertiesOf(products, id)]));
  const ids = [...new Set([...named.values()].flat())];
  const rows = ids.length === 0 ? [] : await outages.getMany(ids);
  const out = new Map(rows.filter(({ status }) => status === 'out_of_service').map((row) => [row.property_id, row]));
  return new Map(
    [...named].flatMap(([product_id, property_ids]) => {
      const found = property_ids.flatMap((property_id) => out.get(property_id) ?? []);
      return found.length > 0 && found.length === property_ids.length ? [[product_id, found] as const] : [];
    }),
  );
}
