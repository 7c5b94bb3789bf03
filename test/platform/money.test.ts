import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCurrency, minorDigitsOf } from '../../src/platform/currency.ts';
import {
  MAX_MINOR,
  apportion,
  cpmCost,
  formatMoney,
  formatMoneyText,
  impressionsFor,
  minorOf,
  parseMoney,
  parseMoneyText,
  shownAmount,
  sumMinor,
} from '../../src/platform/money.ts';

const signedAmounts = fc.integer({ min: -MAX_MINOR, max: MAX_MINOR });
const currencies = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD');

describe('parseMoney', () => {
  it.each([
    [0, 'greater than 0'],
    [-0, 'greater than 0'],
    [-1, 'greater than 0'],
    [JSON.parse('1e309') as number, 'finite'],
    [Number.NaN, 'finite'],
    ['10', 'must be a number, not text'],
    [null, 'must be a number, not null'],
    [undefined, 'is required'],
    [[10], 'must be a number, not a list'],
    [{}, 'must be a number, not an object'],
    [true, 'must be a number, not a boolean'],
    [0.1 + 0.2, 'at most 2 decimals in USD, and 0.30000000000000004 has 17'],
    [10.005, 'at most 2 decimals'],
    [1e-7, 'at most 2 decimals'],
    [1e15, 'at most 9999999999999.99 USD'],
    [Number.MAX_VALUE, 'at most 9999999999999.99 USD'],
  ])('[B3] refuses %j as an amount of dollars, saying why', (value, reason) => {
    const parsed = parseMoney(value, 'USD');
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? '' : parsed.reason).toContain(reason);
  });

  it('[B3] reads decimals as they were written, without rounding', () => {
    expect(parseMoney(1.1, 'USD')).toEqual({ ok: true, minor: 110 });
    expect(parseMoney(0.29, 'USD')).toEqual({ ok: true, minor: 29 });
    expect(parseMoney(1.005e3, 'USD')).toEqual({ ok: true, minor: 100_500 });
    expect(parseMoney(50_000, 'USD')).toEqual({ ok: true, minor: 5_000_000 });
    expect(parseMoney(9_999_999_999_999.99, 'USD')).toEqual({ ok: true, minor: MAX_MINOR });
  });

  it('[B3] counts in the minor unit of the currency', () => {
    expect(parseMoney(500, 'JPY')).toEqual({ ok: true, minor: 500 });
    expect(parseMoney(500.5, 'JPY').ok).toBe(false);
    expect(parseMoney(1.234, 'KWD')).toEqual({ ok: true, minor: 1234 });
    expect(parseMoney(1, 'XXX')).toEqual({ ok: false, reason: 'XXX is not an ISO 4217 currency code' });
    expect(parseMoney(1, 'usd').ok).toBe(false);
  });

  it('takes zero and negative amounts only where they are asked for', () => {
    expect(parseMoney(0, 'USD', 'non-negative')).toEqual({ ok: true, minor: 0 });
    expect(Object.is((parseMoney(-0, 'USD', 'any') as { minor: number }).minor, 0)).toBe(true);
    expect(parseMoney(-0.01, 'USD', 'non-negative').ok).toBe(false);
    expect(parseMoney(-250.5, 'USD', 'any')).toEqual({ ok: true, minor: -25_050 });
  });

  it('[B3] reads back every amount it writes, through JSON', () => {
    fc.assert(
      fc.property(signedAmounts, currencies, (minor, currency) => {
        const wire: unknown = JSON.parse(JSON.stringify(formatMoney(minor, currency)));
        expect(parseMoney(wire, currency, 'any')).toEqual({ ok: true, minor: minor === 0 ? 0 : minor });
      }),
      { numRuns: 1000 },
    );
  });

  it('never takes a number that is not exactly a multiple of the minor unit', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), currencies, (value, currency) => {
        const parsed = parseMoney(value, currency, 'any');
        if (parsed.ok) expect(formatMoney(parsed.minor, currency)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe('parseMoneyText', () => {
  it('[B3] reads back every amount as it is written, without going by way of a number', () => {
    fc.assert(
      fc.property(fc.nat(MAX_MINOR), currencies, (minor, currency) => {
        expect(parseMoneyText(formatMoneyText(minor, currency), currency)).toEqual({ ok: true, minor });
      }),
    );
    expect(parseMoneyText('49999.999', 'KWD')).toEqual({ ok: true, minor: 49_999_999 });
    expect(parseMoneyText('0', 'JPY')).toEqual({ ok: true, minor: 0 });
  });

  it.each([
    ['', 'USD', 'must be digits'],
    ['1,000', 'USD', 'must be digits'],
    ['-1', 'USD', 'must be digits'],
    ['1e3', 'USD', 'must be digits'],
    ['.5', 'USD', 'must be digits'],
    ['5.', 'USD', 'must be digits'],
    ['0.001', 'USD', 'at most 2 decimals in USD, and 0.001 has 3'],
    ['0.0', 'JPY', 'at most 0 decimals'],
    ['10000000000000', 'USD', 'at most 9999999999999.99 USD'],
    ['1', 'EURO', 'not an ISO 4217 currency code'],
  ])('refuses %j of %s, saying why', (text, currency, reason) => {
    const parsed = parseMoneyText(text, currency);
    expect(parsed.ok ? '' : parsed.reason).toContain(reason);
  });
});

it('people read an amount with its currency, all its decimals and thousands apart', () => {
  expect(
    [1_234_567.5, -1_200, 0].map((amount) => shownAmount(amount, 'USD')).concat(shownAmount(70_000, 'JPY')),
  ).toEqual(['1,234,567.50 USD', '-1,200.00 USD', '0.00 USD', '70,000 JPY']);
  expect(shownAmount(0.001, 'USD')).toBe('0.001 USD');
});

describe('formatMoneyText', () => {
  it('shows every decimal of the currency', () => {
    expect(formatMoneyText(120_050, 'USD')).toBe('1200.50');
    expect(formatMoneyText(-5, 'USD')).toBe('-0.05');
    expect(formatMoneyText(7, 'JPY')).toBe('7');
    expect(formatMoneyText(7, 'KWD')).toBe('0.007');
  });
});

describe('minorOf', () => {
  it('throws for an amount nobody checked', () => {
    expect(minorOf(12.5, 'USD')).toBe(1250);
    expect(() => minorOf(12.555, 'USD')).toThrow(RangeError);
  });
});

describe('sumMinor', () => {
  it('adds exactly and refuses to leave the range', () => {
    expect(sumMinor([MAX_MINOR - 3, 1, 2])).toBe(MAX_MINOR);
    expect(sumMinor([])).toBe(0);
    expect(() => sumMinor([MAX_MINOR, 1])).toThrow(RangeError);
    expect(() => sumMinor([0.5])).toThrow(RangeError);
  });
});

describe('cpmCost', () => {
  it.each([
    [1000, 1250, 1250],
    [1, 1250, 1],
    [500, 1, 0],
    [1500, 1, 2],
    [2500, 1, 2],
    [501, 1, 1],
    [0, 1250, 0],
  ])('%i impressions at %i a thousand cost %i: half to even', (impressions, price, cost) => {
    expect(cpmCost(impressions, price)).toBe(cost);
  });

  it('is within half a minor unit of the exact cost', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), fc.integer({ min: 1, max: 100_000 }), (impressions, price) => {
        const rest = BigInt(cpmCost(impressions, price)) * 1000n - BigInt(impressions) * BigInt(price);
        expect(rest >= -500n && rest <= 500n).toBe(true);
      }),
    );
  });

  it('refuses what is not a count and what leaves the range', () => {
    expect(() => cpmCost(0.5, 100)).toThrow(RangeError);
    expect(() => cpmCost(-1, 100)).toThrow(RangeError);
    expect(() => cpmCost(Number.MAX_SAFE_INTEGER, MAX_MINOR)).toThrow(RangeError);
  });
});

describe('impressionsFor', () => {
  it('never buys more than the budget pays for, and no whole impression less', () => {
    fc.assert(
      fc.property(fc.nat(100_000_000), fc.integer({ min: 1, max: 100_000 }), (budget, price) => {
        const impressions = BigInt(impressionsFor(budget, price));
        expect(impressions * BigInt(price) <= BigInt(budget) * 1000n).toBe(true);
        expect((impressions + 1n) * BigInt(price) > BigInt(budget) * 1000n).toBe(true);
      }),
    );
  });

  it('refuses a price of nothing', () => {
    expect(() => impressionsFor(100, 0)).toThrow(RangeError);
  });
});

describe('apportion', () => {
  const weights = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 50 });

  it('[B10] gives slices that sum to the amount, each within one minor unit of its exact share', () => {
    fc.assert(
      fc.property(signedAmounts, weights, (total, parts) => {
        const sum = parts.reduce((all, part) => all + part, 0);
        fc.pre(sum > 0);
        const slices = apportion(total, parts);
        expect(slices.reduce((all, slice) => all + BigInt(slice), 0n)).toBe(BigInt(total));
        slices.forEach((slice, i) => {
          const off = BigInt(slice) * BigInt(sum) - BigInt(total) * BigInt(parts[i] ?? 0);
          expect((off < 0n ? -off : off) < BigInt(sum)).toBe(true);
          if (parts[i] === 0) expect(slice).toBe(0);
        });
      }),
    );
  });

  it('leaves the remainder to the last slice', () => {
    expect(apportion(100, [1, 1, 1])).toEqual([33, 33, 34]);
    expect(apportion(100, [1, 1, 1, 0])).toEqual([33, 33, 34, 0]);
    expect(apportion(-100, [1, 1, 1])).toEqual([-33, -33, -34]);
  });

  it('splits nothing among no weights, and refuses to split something among them', () => {
    expect(apportion(0, [])).toEqual([]);
    expect(apportion(0, [0, 0])).toEqual([0, 0]);
    expect(() => apportion(1, [0])).toThrow(RangeError);
    expect(() => apportion(1, [0.5])).toThrow(RangeError);
    expect(() => apportion(1, [-1, 2])).toThrow(RangeError);
  });
});

describe('currencies', () => {
  it('[B3] are those of ISO 4217, with their minor digits', () => {
    expect([minorDigitsOf('USD'), minorDigitsOf('JPY'), minorDigitsOf('BHD')]).toEqual([2, 0, 3]);
    expect(isCurrency('EUR')).toBe(true);
    expect(isCurrency('eur')).toBe(false);
    expect(isCurrency('__proto__')).toBe(false);
  });
});
