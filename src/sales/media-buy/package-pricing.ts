import type { ErrorCode } from '../../platform/errors.ts';
import { formatMoneyText, minorOf, parseMoney, sumMinor, MAX_MINOR } from '../../platform/money.ts';
import { leastBudget } from '../product/least-budget.ts';
import { pricingOptionOf, publishedPrice } from '../product/pricing-option.ts';
import type { PricingOption } from '../product/pricing-option.ts';
import type { Product } from '../product/product.ts';
import type { MediaBuyPackage } from './media-buy-package.ts';

/** What a package asks for, as sent: amounts are not yet known to be amounts. */
export interface PackageOffer {
  pricing_option_id: unknown;
  budget: unknown;
  bid_price?: unknown;
  /** The currency the buyer believes to pay in, when it says one. */
  currency?: unknown;
  /** The price the buyer counts on, or an auction's floor, when it says one. */
  price?: unknown;
}

/** The part of a stored package that says what it costs. Amounts in minor units of `currency`. */
export type PackagePrice = Pick<
  MediaBuyPackage,
  | 'pricing_option_id'
  | 'pricing_model'
  | 'price_minor'
  | 'floor_minor'
  | 'bid_price_minor'
  | 'min_spend_minor'
  | 'budget_minor'
> & { currency: string };

/** One thing wrong with a package. `path` is where in the request, `message` what and how to mend it. */
export interface PricingProblem {
  code: ErrorCode;
  path: readonly PropertyKey[];
  message: string;
  suggestion?: string;
}

export type PricedPackage = { ok: true; price: PackagePrice } | { ok: false; problems: PricingProblem[] };

/**
 * Checks what a package offers against the product's terms (rules B3, B4): the pricing option exists, the budget is an
 * exact amount of its currency and not below `min_spend` or the flat fee, an auction has a bid at or above the floor, a
 * fixed price has none. `at` is the package's place in the request, such as `['packages', 0]`. Pure; finds every problem.
 */
export function pricePackage(product: Product, offer: PackageOffer, at: readonly PropertyKey[]): PricedPackage {
  const problems: PricingProblem[] = [];
  const note: Note = (code, field, message, suggestion) => {
    problems.push({ code, path: [...at, field], message, ...(suggestion !== undefined && { suggestion }) });
  };
  const option = pricingOptionOf(product, offer.pricing_option_id);
  if (option === undefined) {
    const known = product.pricing_options.map(({ pricing_option_id }) => pricing_option_id).join(', ');
    note(
      'PRICING_OPTION_NOT_FOUND',
      'pricing_option_id',
      `product ${product.product_id} has no such pricing option`,
      `one of ${known}`,
    );
    return { ok: false, problems };
  }
  if (offer.currency !== undefined && offer.currency !== option.currency) {
    note(
      'INVALID_REQUEST',
      'currency',
      `pricing option ${option.pricing_option_id} is in ${option.currency}`,
      option.currency,
    );
  }
  checkPrice(offer.price, option, note);
  const budget_minor = amount(offer.budget, option.currency, 'budget', note);
  const bid_price_minor = bidOf(offer, option, note);
  if (budget_minor !== undefined) checkBudget(budget_minor, bid_price_minor, option, note);
  if (problems.length > 0 || budget_minor === undefined) return { ok: false, problems };
  return { ok: true, price: { ...termsOf(option), bid_price_minor: bid_price_minor ?? null, budget_minor } };
}

export type TotalBudget =
  { ok: true; currency: string; total_minor: number } | { ok: false; problems: PricingProblem[] };

/**
 * The total of a buy's packages, in request order; undefined stands for one of which nothing is known. A buy has one currency
 * (there is no rate to convert by), and a total that can be written exactly.
 */
export function totalBudget(
  prices: readonly (Pick<PackagePrice, 'currency' | 'budget_minor'> | undefined)[],
): TotalBudget {
  const first = prices.findIndex((price) => price !== undefined);
  const currency = prices[first]?.currency;
  if (currency === undefined) {
    return { ok: false, problems: [{ code: 'INVALID_REQUEST', path: ['packages'], message: 'must not be empty' }] };
  }
  const problems = prices.flatMap((price, i): PricingProblem[] => {
    if (price === undefined || price.currency === currency) return [];
    const message = `is in ${price.currency}, and packages[${first}] in ${currency}; a media buy has one currency`;
    const suggestion = `choose a pricing option in ${currency}, or make a media buy of its own`;
    return [{ code: 'INVALID_REQUEST', path: ['packages', i, 'pricing_option_id'], message, suggestion }];
  });
  if (problems.length > 0) return { ok: false, problems };
  try {
    return { ok: true, currency, total_minor: sumMinor(prices.map((price) => price?.budget_minor ?? 0)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `the budgets add up to more than ${formatMoneyText(MAX_MINOR, currency)} ${currency}`;
    return { ok: false, problems: [{ code: 'INVALID_REQUEST', path: ['packages'], message }] };
  }
}

type Note = (code: ErrorCode, field: string, message: string, suggestion?: string) => void;

function checkPrice(countedOn: unknown, option: PricingOption, note: Note): void {
  if (countedOn === undefined) return;
  const asked = amount(countedOn, option.currency, 'price', note);
  const now = minorOf(publishedPrice(option), option.currency);
  if (asked === undefined || asked === now) return;
  const what = option.pricing_model === 'cpm-auction' ? 'the floor' : 'the price';
  const present = money(now, option.currency);
  note('CONFLICT', 'price', `is not ${what} now, which is ${present}`, `${present}, if that suits you`);
}

function bidOf(offer: PackageOffer, option: PricingOption, note: Note): number | undefined {
  if (option.pricing_model !== 'cpm-auction') {
    if (offer.bid_price !== undefined && offer.bid_price !== null) {
      note(
        'INVALID_REQUEST',
        'bid_price',
        `pricing option ${option.pricing_option_id} has a fixed price; leave the bid out`,
      );
    }
    return undefined;
  }
  const floor = minorOf(option.floor, option.currency);
  if (offer.bid_price === undefined || offer.bid_price === null) {
    const atLeast = money(floor, option.currency);
    note(
      'INVALID_REQUEST',
      'bid_price',
      `is required for an auction; the floor is ${atLeast}`,
      `bid ${atLeast} or more`,
    );
    return undefined;
  }
  const bid = amount(offer.bid_price, option.currency, 'bid_price', note);
  if (bid !== undefined && bid < floor) {
    const atLeast = money(floor, option.currency);
    note('INVALID_REQUEST', 'bid_price', `is below the floor of ${atLeast}`, `bid ${atLeast} or more`);
  }
  return bid;
}

function checkBudget(budget: number, bid: number | undefined, option: PricingOption, note: Note): void {
  const { currency } = option;
  const least = leastBudget(option);
  if (budget < least) {
    const why = option.pricing_model === 'flat-fee' ? 'the price' : 'the least spend';
    note(
      'BUDGET_TOO_LOW',
      'budget',
      `is below ${why} of ${money(least, currency)}`,
      `${money(least, currency)} or more`,
    );
  }
  if (bid !== undefined && bid > budget * 1000) {
    note('BUDGET_TOO_LOW', 'budget', 'does not pay for one impression at this bid');
  }
}

function termsOf(option: PricingOption) {
  const { pricing_option_id, pricing_model, currency } = option;
  const min_spend = option.pricing_model === 'flat-fee' ? undefined : option.min_spend;
  return {
    pricing_option_id,
    pricing_model,
    currency,
    price_minor: option.pricing_model === 'cpm-auction' ? null : minorOf(option.price, currency),
    floor_minor: option.pricing_model === 'cpm-auction' ? minorOf(option.floor, currency) : null,
    min_spend_minor: min_spend === undefined ? null : minorOf(min_spend, currency),
  };
}

function amount(value: unknown, currency: string, field: string, note: Note): number | undefined {
  const parsed = parseMoney(value, currency);
  if (parsed.ok) return parsed.minor;
  note(typeof value === 'number' ? 'INVALID_REQUEST' : 'VALIDATION_ERROR', field, parsed.reason);
  return undefined;
}

function money(minor: number, currency: string): string {
  return `${formatMoneyText(minor, currency)} ${currency}`;
}
