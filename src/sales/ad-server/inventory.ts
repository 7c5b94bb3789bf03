import { z } from 'zod';
import { AdLine } from './ad-order.ts';
import { AdInstant } from './port-values.ts';

/**
 * A keyword of `product_config_schema`: beside a string, it says that the string is the `native_id` of inventory of this kind, so
 * that a product of an ad unit that there is not is found before it is sold.
 */
export const INVENTORY_KIND = 'x-inventory-kind';

/** Something of the ad server's that products can be made of, such as an ad unit. */
export const InventoryItem = z.strictObject({
  kind: z.string(),
  native_id: z.string(),
  name: z.string(),
  parent_id: z.string().optional(),
  /** Such as `300x250`. */
  sizes: z.array(z.string()),
  active: z.boolean(),
});
export type InventoryItem = z.infer<typeof InventoryItem>;

export const InventoryPage = z.strictObject({ items: z.array(InventoryItem), cursor: z.string().optional() });
export type InventoryPage = z.infer<typeof InventoryPage>;

/** Lines whose availability is asked for. */
export const ForecastQuery = z.strictObject({
  lines: z.array(AdLine).min(1),
  currency: z.string(),
  start: AdInstant,
  end: AdInstant,
});
export type ForecastQuery = z.infer<typeof ForecastQuery>;

/** Impressions that could be had; absent while the ad server does not know yet. */
export const AdForecast = z.strictObject({
  available: z.int().min(0).optional(),
  as_of: AdInstant,
  ask_again_at: AdInstant.optional(),
});
export type AdForecast = z.infer<typeof AdForecast>;
