import type { Problem } from '../../platform/errors.ts';
import type { Description } from '../../sales/ad-server/description.ts';

/** What of an ad server's description the sale of a package needs. */
export type SoldThere = Pick<Description, 'currencies' | 'pricing'>;

export interface SoldPackage {
  pricing_model: string;
  delivery_type: string;
  currency: string;
}

/**
 * Why an ad server would not take a package as it is sold: `UNSUPPORTED_FEATURE` at its pricing option (rule B14.ad-server).
 * `at`: the package's place in the request. Pure.
 */
export function unsoldThere(
  { pricing_model, delivery_type, currency }: SoldPackage,
  { currencies, pricing }: SoldThere,
  at: readonly PropertyKey[],
): Problem[] {
  const model = pricing.find((one) => one.model === pricing_model);
  const unsold = [
    ...(currencies === 'any' || currencies.includes(currency) ? [] : [`in ${currency}`]),
    ...(model?.delivery_types.includes(delivery_type) === true ? [] : [`${delivery_type} by ${pricing_model}`]),
  ];
  return unsold.map((what) => {
    const message = `the ad server does not sell ${what}; take another pricing option`;
    return { code: 'UNSUPPORTED_FEATURE', path: [...at, 'pricing_option_id'], message };
  });
}
