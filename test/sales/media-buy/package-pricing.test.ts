import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldPath } from '../../../src/platform/field-path.ts';
import { MAX_MINOR, minorOf } from '../../../src/platform/money.ts';
import { pricePackage, totalBudget } from '../../../src/sales/media-buy/package-pricing.ts';
import { demoCatalog, productOf } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();

/** The problems of an offer as `CODE field: message`. */
function problemsOf(product_id: string, offer: object): string[] {
  const priced = pricePackage(
    productOf(catalog, product_id),
    { pricing_option_id: undefined, budget: undefined, ...offer },
    ['packages', 1],
  );
  return priced.ok ? [] : priced.problems.map((p) => `${p.code} ${fieldPath(p.path)}: ${p.message}`);
}

describe('[B4] a package is priced by the option it names', () => {
  it('fixed CPM', () => {
    const offer = { pricing_option_id: 'ros_fixed_usd', budget: 2500.5 };
    expect(pricePackage(productOf(catalog, 'gazette_run_of_site'), offer, [])).toEqual({
      ok: true,
      price: {
        pricing_option_id: 'ros_fixed_usd',
        pricing_model: 'cpm',
        currency: 'USD',
        price_minor: 650,
        floor_minor: null,
        bid_price_minor: null,
        min_spend_minor: 250_000,
        budget_minor: 250_050,
      },
    });
  });

  it('auction, with a bid at the floor', () => {
    const offer = { pricing_option_id: 'hafenblatt_auction_eur', budget: 500, bid_price: 3.1, currency: 'EUR' };
    expect(pricePackage(productOf(catalog, 'hafenblatt_reichweite'), offer, [])).toMatchObject({
      ok: true,
      price: { currency: 'EUR', price_minor: null, floor_minor: 310, bid_price_minor: 310, budget_minor: 50_000 },
    });
  });

  it('flat fee, with a budget that covers it', () => {
    const offer = { pricing_option_id: 'takeover_day_usd', budget: 48_000 };
    expect(pricePackage(productOf(catalog, 'gazette_front_page_takeover'), offer, [])).toMatchObject({
      ok: true,
      price: { price_minor: 4_800_000, min_spend_minor: null, budget_minor: 4_800_000 },
    });
  });
});

describe('[B4] an offer that breaks the terms is refused by code and field', () => {
  it.each([
    [
      'gazette_run_of_site',
      { pricing_option_id: 'nope', budget: 5000 },
      'PRICING_OPTION_NOT_FOUND packages[1].pricing_option_id: product gazette_run_of_site has no',
    ],
    ['gazette_run_of_site', { budget: 5000 }, 'PRICING_OPTION_NOT_FOUND packages[1].pricing_option_id'],
    [
      'gazette_run_of_site',
      { pricing_option_id: '__proto__', budget: 5000 },
      'PRICING_OPTION_NOT_FOUND packages[1].pricing_option_id',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_auction_usd', budget: 5000 },
      'INVALID_REQUEST packages[1].bid_price: is required for an auction; the floor is 2.40 USD',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_auction_usd', budget: 5000, bid_price: null },
      'INVALID_REQUEST packages[1].bid_price: is required',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_auction_usd', budget: 5000, bid_price: 2.39 },
      'INVALID_REQUEST packages[1].bid_price: is below the floor of 2.40 USD',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_auction_usd', budget: 5000, bid_price: '3' },
      'VALIDATION_ERROR packages[1].bid_price: must be a number',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_auction_usd', budget: 5000, bid_price: 3.333 },
      'INVALID_REQUEST packages[1].bid_price: must have at most 2 decimals',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_auction_usd', budget: 500, bid_price: 1_000_000 },
      'BUDGET_TOO_LOW packages[1].budget: does not pay for one impression',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_fixed_usd', budget: 5000, bid_price: 9 },
      'INVALID_REQUEST packages[1].bid_price: pricing option ros_fixed_usd has a fixed price',
    ],
    [
      'gazette_run_of_site',
      { pricing_option_id: 'ros_fixed_usd', budget: 2499.99 },
      'BUDGET_TOO_LOW packages[1].budget: is below the least spend of 2500.00 USD',
    ],
    [
      'gazette_front_page_takeover',
      { pricing_option_id: 'takeover_day_usd', budget: 47_999 },
      'BUDGET_TOO_LOW packages[1].budget: is below the price of 48000.00 USD',
    ],
    [
      'thames_review_display',
      { pricing_option_id: 'thames_fixed_gbp', budget: 5000, currency: 'USD' },
      'INVALID_REQUEST packages[1].currency: pricing option thames_fixed_gbp is in GBP',
    ],
  ])('%s %j: %s', (product_id, offer, problem) => {
    expect(problemsOf(product_id, offer)).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    [0, 'INVALID_REQUEST'],
    [-1, 'INVALID_REQUEST'],
    [JSON.parse('1e309') as number, 'INVALID_REQUEST'],
    [0.1 + 0.2, 'INVALID_REQUEST'],
    [1e15, 'INVALID_REQUEST'],
    ['10', 'VALIDATION_ERROR'],
    [null, 'VALIDATION_ERROR'],
    [undefined, 'VALIDATION_ERROR'],
  ])('[B3] a budget of %j', (budget, code) => {
    const problems = problemsOf('gazette_run_of_site', { pricing_option_id: 'ros_fixed_usd', budget });
    expect(problems).toEqual([expect.stringContaining(`${code} packages[1].budget: `)]);
  });

  it('every problem of one package is found at once', () => {
    const offer = { pricing_option_id: 'ros_auction_usd', budget: 1, bid_price: 1, currency: 'EUR' };
    expect(problemsOf('gazette_run_of_site', offer)).toHaveLength(3);
  });

  it('no offer is a fault, and none is taken below the terms', () => {
    const product = productOf(catalog, 'ctv_run_of_service');
    const amount = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.integer({ min: 1, max: 10_000_000 }).map((n) => n / 100),
      fc.string(),
      fc.constant(undefined),
    );
    const ids = fc.constantFrom('ctv_ros_auction_usd', 'ctv_ros_fixed_usd', 'other');
    fc.assert(
      fc.property(ids, amount, amount, (pricing_option_id, budget, bid_price) => {
        const priced = pricePackage(product, { pricing_option_id, budget, bid_price }, ['packages', 0]);
        if (!priced.ok) return priced.problems.length > 0;
        const { price } = priced;
        return (
          price.budget_minor === minorOf(budget as number, 'USD') &&
          price.budget_minor >= (price.min_spend_minor ?? 0) &&
          (price.floor_minor === null) === (price.bid_price_minor === null) &&
          (price.bid_price_minor ?? 0) >= (price.floor_minor ?? 0)
        );
      }),
    );
  });
});

describe('[B3] the total of a buy', () => {
  it('is the exact sum of its packages', () => {
    const prices = [10, 20, 30].map((budget_minor) => ({ currency: 'EUR', budget_minor }));
    expect(totalBudget(prices)).toEqual({ ok: true, currency: 'EUR', total_minor: 60 });
  });

  it('has one currency: packages in another are refused by field', () => {
    const prices = ['USD', 'GBP', 'USD', 'EUR'].map((currency) => ({ currency, budget_minor: 1 }));
    const total = totalBudget(prices);
    expect(total.ok ? [] : total.problems.map(({ path }) => fieldPath(path))).toEqual([
      'packages[1].pricing_option_id',
      'packages[3].pricing_option_id',
    ]);
  });

  it('is refused when it is empty or too large to be exact', () => {
    expect(totalBudget([]).ok).toBe(false);
    const prices = [MAX_MINOR, 1].map((budget_minor) => ({ currency: 'USD', budget_minor }));
    expect(totalBudget(prices)).toMatchObject({ ok: false, problems: [{ path: ['packages'] }] });
  });
});
