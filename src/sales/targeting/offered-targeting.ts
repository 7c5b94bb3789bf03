import { z } from 'zod';
import type { Product } from '../product/product.ts';

/** What of a product a buyer may aim at, as far as an overlay can name it. An empty list offers nothing to choose. */
export const OfferedTargeting = z.object({
  /** All countries and devices that the product reaches: without an overlay, those. */
  countries: z.array(z.string()),
  devices: z.array(z.string()),
  regions: z.array(z.string()),
  languages: z.array(z.string()),
  audiences: z.array(z.string()),
  dayparting: z.boolean(),
  frequency_cap: z.boolean(),
});
export type OfferedTargeting = z.infer<typeof OfferedTargeting>;

/** What a package may be aimed at: what its product offered when its targeting was checked, else what it offers; undefined where neither is known. Pure. */
export function offeredTo(
  { offered_targeting }: { offered_targeting?: OfferedTargeting | undefined },
  product: Pick<Product, 'targeting'> | undefined,
): OfferedTargeting | undefined {
  return offered_targeting ?? (product && offeredBy(product));
}

export function offeredBy({ targeting }: Pick<Product, 'targeting'>): OfferedTargeting {
  const { geo, devices, languages, audiences, dayparting, frequency_cap } = targeting;
  return {
    countries: [...geo.countries],
    devices: [...devices],
    regions: [...(geo.regions ?? [])],
    languages: [...languages],
    audiences: audiences.map(({ audience_id }) => audience_id),
    dayparting,
    frequency_cap,
  };
}
