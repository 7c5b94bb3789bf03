import { describe, expect, it } from 'vitest';
import { PricingOption } from '../../../src/sales/product/pricing-option.ts';
import { pricingOptionEntry } from '../../../src/sales/product/pricing-option-entry.ts';

const entry = pricingOptionEntry('USD');
const id = { pricing_option_id: 'p1' };

function mistakesOf(option: object): string[] {
  const parsed = entry.safeParse({ ...id, ...option });
  return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('[B4] catalog files may spell pricing as the wire or as the public protocol does', () => {
  it.each([
    [
      { pricing_model: 'cpm', price: 12.5 },
      { pricing_model: 'cpm', price: 12.5 },
    ],
    [
      { pricing_model: 'cpm', fixed_price: 12.5 },
      { pricing_model: 'cpm', price: 12.5 },
    ],
    [
      { pricing_model: 'cpm', floor_price: 3 },
      { pricing_model: 'cpm-auction', floor: 3 },
    ],
    [
      { pricing_model: 'cpm-auction', floor: 3 },
      { pricing_model: 'cpm-auction', floor: 3 },
    ],
    [
      { pricing_model: 'cpm_auction', floor_price: 3 },
      { pricing_model: 'cpm-auction', floor: 3 },
    ],
    [
      { pricing_model: 'cpm', price_guidance: { floor: 3, p50: 4.2 } },
      { pricing_model: 'cpm-auction', floor: 3, price_guidance: { p50: 4.2 } },
    ],
    [
      { pricing_model: 'flat_rate', fixed_price: 5000 },
      { pricing_model: 'flat-fee', price: 5000 },
    ],
    [
      { pricing_model: 'flat-fee', price: 5000 },
      { pricing_model: 'flat-fee', price: 5000 },
    ],
    [
      { pricing_model: 'cpm', price: 1, min_spend_per_package: 250 },
      { pricing_model: 'cpm', price: 1, min_spend: 250 },
    ],
  ])('%j is read as %j', (written, read) => {
    const option = entry.parse({ ...id, ...written });
    expect(option).toEqual({ ...id, currency: 'USD', ...read });
    expect(PricingOption.parse(option)).toEqual(option);
  });

  it('a currency of its own wins over the default', () => {
    expect(entry.parse({ ...id, pricing_model: 'cpm', price: 900, currency: 'JPY' }).currency).toBe('JPY');
  });
});

describe('[B4] pricing that does not hold is refused with its place', () => {
  it.each([
    [{ pricing_model: 'cpm' }, 'price: is required'],
    [{ pricing_model: 'flat_rate' }, 'price: is required'],
    [{ pricing_model: 'cpm-auction' }, 'floor: is required'],
    [{ pricing_model: 'cpm', price: 0 }, 'price: must be greater than 0'],
    [{ pricing_model: 'cpm', fixed_price: '12' }, 'fixed_price: must be a number, not text'],
    [{ pricing_model: 'cpm', price: 0.1 + 0.2 }, 'price: must have at most 2 decimals'],
    [{ pricing_model: 'cpm', price: 900.5, currency: 'JPY' }, 'price: must have at most 0 decimals in JPY'],
    [{ pricing_model: 'cpm', price: 1, currency: 'ZZZ' }, 'currency: must be an ISO 4217 currency code'],
    [{ pricing_model: 'cpm', price: 1, fixed_price: 1 }, 'fixed_price: says the same as price'],
    [{ pricing_model: 'cpm', price: 1, floor: 1 }, 'floor: a fixed price has no floor'],
    [{ pricing_model: 'cpm-auction', price: 1, floor: 1 }, 'price: an auction has a floor and no price'],
    [{ pricing_model: 'cpm', price_guidance: { floor: -1 } }, 'price_guidance.floor: must be greater than 0'],
    [{ pricing_model: 'flat-fee', price: 1, min_spend: 1 }, 'min_spend: a flat fee is its own least spend'],
    [{ pricing_model: 'cpc', price: 1 }, 'pricing_model: '],
    [{ pricing_model: 'cpm', price: 1, rate: 1 }, ': Unrecognized key: "rate"'],
  ])('%j: %s', (option, mistake) => {
    expect(mistakesOf(option)).toEqual([expect.stringContaining(mistake)]);
  });
});
