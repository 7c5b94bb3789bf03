import { randomUUID } from 'node:crypto';
import type { AgentAt, Json } from '../../journeys/support/buyer.ts';
import { bodyOf, callPublic } from './public-call.ts';

/** Whom the public protocol knows by a brand and who acts for it. */
export const accountOf = (domain: string) => ({ brand: { domain }, operator: 'agency.example' });

interface Offer {
  product_id: string;
  pricing_options: { pricing_option_id: string; fixed_price?: number }[];
}

/** A first package at a fixed price in US dollars. @throws where nothing of the kind is for sale. */
export async function packageForSale(at: AgentAt): Promise<Json> {
  const filters = { is_fixed_price: true, pricing_currencies: ['USD'], delivery_type: 'non_guaranteed' };
  const asked = { adcp_version: '3.1', buying_mode: 'wholesale', filters };
  const offers = bodyOf(await callPublic(at, 'get_products', asked))['products'] as Offer[];
  for (const { product_id, pricing_options } of offers) {
    const option = pricing_options.find(({ fixed_price }) => fixed_price !== undefined);
    if (option !== undefined) return { product_id, pricing_option_id: option.pricing_option_id, budget: 20_000 };
  }
  throw new Error('nothing is for sale at a fixed price');
}

/** A whole request of `create_media_buy`, under a new key, from now on for twenty days. */
export function orderOf(line: Json, more: Json = {}): Json {
  return {
    ...{ account: accountOf('acme.example'), brand: { domain: 'acme.example' }, idempotency_key: randomUUID() },
    ...{ start_time: 'asap', end_time: new Date(Date.now() + 20 * 86_400_000).toISOString() },
    ...{ packages: [line], ...more },
  };
}
