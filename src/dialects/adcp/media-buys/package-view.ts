import type { JsonObject } from '../../../platform/json-object.ts';
import { formatMoney } from '../../../platform/money.ts';
import { creativeIdOf } from '../../../sales/creative/creative-ref.ts';
import { agreedTerms } from '../../../sales/media-buy/agreed-terms.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { Release } from '../release.ts';
import { AskedPackage, askedOf } from './asked-buy.ts';

/** The packages of a buy in public words, each whole. Pure. */
export function publicPackages(buy: MediaBuy, release: Release): JsonObject[] {
  const asked = askedOf(buy.asked).packages ?? [];
  const terms = agreedTerms(buy);
  return buy.packages.map((line, i) => {
    const { package_id, product_id, pricing_option_id, bid_price_minor, targeting_overlay, creative_ids, paused } =
      line;
    const added = line.asked && AskedPackage.safeParse(line.asked).data;
    const { context, creative_assignments: said = [], ...named } = added ?? asked[i] ?? {};
    // What was said of assignments at first is nobody's word any more once the package has been changed.
    const measurement_terms = terms.get(package_id);
    const assigned = isAsBooked(buy, package_id) ? said : [];
    return {
      ...{ package_id, product_id, pricing_option_id, paused },
      ...{ budget: formatMoney(line.budget_minor, buy.currency), currency: buy.currency },
      ...(bid_price_minor !== null && bidTold(formatMoney(bid_price_minor, buy.currency), release)),
      ...(targeting_overlay !== null && { targeting_overlay }),
      creative_assignments: creative_ids
        .map(creativeIdOf)
        .map((creative_id) => assigned.find((one) => one.creative_id === creative_id) ?? { creative_id }),
      ...(measurement_terms && { measurement_terms }),
      ...(context !== undefined && { context }),
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

/** Whether nothing has changed a package since it was booked, or added. */
function isAsBooked({ history }: MediaBuy, package_id: string): boolean {
  const adding = history.find(({ new_packages = [] }) => new_packages.includes(package_id))?.task_id;
  return history.every(
    ({ affected_packages = [], task_id }) => task_id === adding || !affected_packages.includes(package_id),
  );
}
