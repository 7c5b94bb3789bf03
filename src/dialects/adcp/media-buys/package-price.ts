import type { JsonObject } from '../../../platform/json-object.ts';
import { formatMoney } from '../../../platform/money.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';

/** What delivery of one of the buy's packages is paid by; nothing of one that it has not. Pure. */
export function packagePrice({ packages, currency }: MediaBuy, package_id: string): JsonObject {
  const line = packages.find((known) => known.package_id === package_id);
  if (line === undefined) return {};
  const rate = line.price_minor ?? line.bid_price_minor ?? 0;
  const pricing_model = line.pricing_model === 'flat-fee' ? 'flat_rate' : 'cpm';
  return { pricing_model, rate: formatMoney(rate, currency), currency };
}
