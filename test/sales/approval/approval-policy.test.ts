import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalOver } from '../../../src/sales/approval/approval-policy.ts';

const CREATE = 'create_media_buy';

describe('[B3.thresholds] the approval policy', () => {
  const thresholds = new Map([
    ['USD', 10_000],
    ['JPY', 7_500_000],
    ['KWD', 49_999_999],
  ]);
  const policy = approvalOver(thresholds);

  it.each([
    ['USD', 10_000, false],
    ['USD', 10_001, true],
    ['JPY', 50_001, false],
    ['JPY', 7_500_001, true],
    ['KWD', 49_999_999, false],
    ['KWD', 50_000_000, true],
    ['EUR', 1, true],
  ])('%s, %i minor units, needs a person: %s', (currency, total_budget_minor, needs) => {
    expect(policy.needsPerson({ operation: CREATE, total_budget_minor, currency })).toBe(needs);
  });

  it('asks about nothing where no amount is set, and about every other currency once one is', () => {
    const totals = fc.integer({ min: 1, max: 999_999_999_999_999 });
    const currencies = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD');
    fc.assert(
      fc.property(currencies, currencies, totals, totals, (set, currency, limit, total_budget_minor) => {
        const question = { operation: CREATE, total_budget_minor, currency } as const;
        expect(approvalOver(new Map()).needsPerson(question)).toBe(false);
        const needs = set === currency ? total_budget_minor > limit : true;
        expect(approvalOver(new Map([[set, limit]])).needsPerson(question)).toBe(needs);
      }),
    );
  });

  it('says why, in the amounts of the currency', () => {
    const question = { total_budget_minor: 12_345_678, currency: 'USD' };
    expect(policy.why({ operation: CREATE, ...question })).toBe(
      'the total budget of 123,456.78 USD is above the 100.00 USD that pass without a person',
    );
    expect(policy.why({ operation: 'update_media_buy', ...question })).toBe(
      'it raises the total to 123,456.78 USD, above the 100.00 USD that pass without a person',
    );
    const other = { total_budget_minor: 12_345, currency: 'EUR' };
    expect(policy.why({ operation: CREATE, ...other })).toBe(
      'the total budget is 123.45 EUR, and no amount of EUR passes without a person',
    );
    expect(policy.why({ operation: 'update_media_buy', ...other })).toBe(
      'it raises the total to 123.45 EUR, and no amount of EUR passes without a person',
    );
  });
});
