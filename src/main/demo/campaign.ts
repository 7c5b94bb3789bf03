import { randomUUID } from 'node:crypto';
import { z } from 'zod';

/** What the demo's buyer is after. */
export const BRIEF =
  'Launch of a trail-running shoe in the US this season: reach outdoor and fitness enthusiasts with CTV and online video, display on sports coverage, and podcast or streaming audio for commuters';

export const BRAND = {
  name: 'Northfell Running',
  url: 'https://northfell-running.example',
  tagline: 'Further than the path',
  colors: { primary: '#1f6f50', secondary: '#f2b705' },
};

const Offer = z.object({
  product_id: z.string(),
  name: z.string(),
  channels: z.array(z.string()),
  match_reason: z.string(),
  pricing_options: z.array(
    z.object({
      pricing_option_id: z.string(),
      pricing_model: z.string(),
      currency: z.string(),
      price: z.number().optional(),
      floor: z.number().optional(),
      min_spend: z.number().optional(),
    }),
  ),
});
export const Offers = z.object({ products: z.array(Offer) });
export type Offers = z.infer<typeof Offers>;

const BUDGETS = [45_000, 30_000, 18_000];
const FLIGHT_DAYS = 42;

/** Three packages on different channels, best matches first, in dollars: a plan a buyer would place. */
export function campaign({ products }: Offers, nowMs: number): Record<string, unknown> {
  const chosen: Offers['products'] = [];
  for (const product of products) {
    const isNew = chosen.every((other) => other.channels[0] !== product.channels[0]);
    if (isNew && product.pricing_options.some(isBuyable)) chosen.push(product);
    if (chosen.length === BUDGETS.length) break;
  }
  return {
    buyer_ref: `northfell-trail-launch-${randomUUID().slice(0, 8)}`,
    brand_manifest: BRAND,
    packages: chosen.map((product, i) => lineFor(product, BUDGETS[i] ?? 10_000)),
    start_time: { type: 'asap' },
    end_time: new Date(nowMs + FLIGHT_DAYS * 86_400_000).toISOString(),
  };
}

function isBuyable({ currency, pricing_model }: Offers['products'][number]['pricing_options'][number]): boolean {
  return currency === 'USD' && pricing_model !== 'flat-fee';
}

function lineFor(product: Offers['products'][number], budget: number) {
  const option = product.pricing_options.find(isBuyable);
  if (option === undefined) throw new Error(`${product.product_id} cannot be bought in dollars`);
  return {
    buyer_ref: product.channels[0],
    product_id: product.product_id,
    pricing_option_id: option.pricing_option_id,
    budget: Math.max(budget, option.min_spend ?? 0),
    // A tenth above the floor, in whole cents.
    ...(option.floor !== undefined && { bid_price: Math.round(option.floor * 110) / 100 }),
    targeting_overlay: { geo: { countries: ['US'] } },
  };
}
