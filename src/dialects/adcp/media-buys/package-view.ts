import type { JsonObject } from '../../../platform/json-object.ts';
import { formatMoney } from '../../../platform/money.ts';
import { creativeIdOf } from '../../../sales/creative/creative-ref.ts';
import { agreedTerms } from '../../../sales/media-buy/agreed-terms.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { lineEnd, lineStart } from '../../../sales/media-buy/media-buy-package.ts';
import type { Release } from '../release.ts';
import { AskedPackage, askedOf } from './asked-buy.ts';
import { overlayTold } from './dayparts.ts';

/** The packages of a buy in public words, each whole. Pure. */
export function publicPackages(buy: MediaBuy, release: Release): JsonObject[] {
  const asked = askedOf(buy.asked).packages ?? [];
  const terms = agreedTerms(buy);
  return buy.packages.map((line, i) => {
    const { package_id, product_id, pricing_option_id, bid_price_minor, targeting_overlay, creative_ids, paused } =
      line;
    const added = line.asked && AskedPackage.safeParse(line.asked).data;
    const { context, ext, agency_estimate_number, ...named } = added ?? asked[i] ?? {};
    const measurement_terms = terms.get(package_id);
    return {
      ...{ package_id, product_id, pricing_option_id, paused },
      ...{ budget: formatMoney(line.budget_minor, buy.currency), currency: buy.currency },
      ...{ start_time: lineStart(buy, line), end_time: lineEnd(buy, line) },
      ...(bid_price_minor !== null && bidTold(formatMoney(bid_price_minor, buy.currency), release)),
      ...(targeting_overlay !== null && { targeting_overlay: overlayTold(targeting_overlay, release) }),
      // Without a weight: their turns are even, whatever came along with an order of old.
      creative_assignments: creative_ids.map((id) => ({ creative_id: creativeIdOf(id) })),
      ...(measurement_terms && { measurement_terms }),
      ...(agency_estimate_number !== undefined && { agency_estimate_number }),
      ...(context !== undefined && { context }),
      ...(ext !== undefined && { ext }),
      ...(release !== '3.0' && formatsNamed(named)),
    };
  });
}

/** 3.2 has another word for the most that is paid. */
function bidTold(amount: number, release: Release): JsonObject {
  return release === '3.2' ? { bidding: { max_bid: amount } } : { bid_price: amount };
}

/** By which formats the package was booked, if it said; these are not changed afterwards. */
function formatsNamed({ format_ids, format_option_refs, format_kind, params }: AskedPackage): JsonObject {
  const named = Object.entries({ format_ids, format_option_refs, format_kind, params });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
