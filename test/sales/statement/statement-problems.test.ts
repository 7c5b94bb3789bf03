import { describe, expect, it } from 'vitest';
import { MAX_MINOR } from '../../../src/platform/money.ts';
import type { StatementRow } from '../../../src/sales/ad-server/statement.ts';
import type { AskedBuy } from '../../../src/sales/statement/asked-buy.ts';
import type { BuyTerms } from '../../../src/sales/statement/buy-terms.ts';
import type { DeliveryBook } from '../../../src/sales/statement/delivery-book.ts';
import { MAX_COUNT, statementProblems } from '../../../src/sales/statement/statement-problems.ts';
import { buyTerms, hourAt, lineTerms, statedRow, statementOf } from './support/open-facts.ts';
import type { Look } from './support/open-facts.ts';

function asked(terms: BuyTerms, changes: Partial<DeliveryBook> = {}): AskedBuy {
  const { media_buy_id } = terms;
  const blank = { complete_until: null, final_until: null, lines: {}, newest: null, revision: 1 };
  return { terms, book: { media_buy_id, ...blank, ...changes }, days: new Map(), isStale: false };
}

/** What is wrong with these rows, stated at the flight's hour 48, in short. */
function liesIn(rows: readonly StatementRow[], terms = buyTerms({ now: hourAt(48) }), look: Partial<Look> = {}) {
  const answered = statementOf([], { from: 0, until: 48, rows, ...look });
  return statementProblems(answered, [asked(terms)]).map(({ lie }) => lie);
}

const counts = (more: Partial<StatementRow['counts']>) => ({ counts: { impressions: 100, clicks: 0, ...more } });
/** Hours here are of another day than where the flight begins in mid-hour. */
const late = (changes: Partial<BuyTerms>) => buyTerms({ now: hourAt(48), ...changes });

describe('a statement is true as far as can be seen', () => {
  it.each<[string, StatementRow[], (BuyTerms | undefined)?, Partial<Look>?]>([
    ['with plain hours', [statedRow(0, 1000, { clicks: 3 }), statedRow(47, 0)]],
    ['in the hour in which the flight begins', [statedRow(2, 9)], late({ lines: [lineTerms({ start: hourAt(2.9) })] })],
    ['in the hour in which the buy was made', [statedRow(2, 9)], late({ created_at: hourAt(2.9) })],
    ['of the hour that is running', [statedRow(48, 9)]],
    [
      'after the flight, since a line may stop late',
      [statedRow(20, 9)],
      late({ lines: [lineTerms({ end: hourAt(9) })] }),
    ],
    ['at the grain of its zone', [statedRow(3.5, 9)], undefined, { described: { offset_minutes: 330 } }],
    ['at the grain of a zone behind', [statedRow(3.5, 9)], undefined, { described: { offset_minutes: -210 } }],
    ['by creative', ['a', 'b'].map((creative_id) => statedRow(3, 9, { creative_id }))],
    ['with as many clicks as impressions', [statedRow(3, 9, { clicks: 9 })]],
    [
      'with a creative clicked an hour after it was seen, if the line was seen',
      [statedRow(3, 0, { clicks: 2, creative_id: 'a' }), statedRow(3, 9, { creative_id: 'b' })],
    ],
    ['with a count that is large for a line without yardstick', [statedRow(3, 9_000_000)], late({ lines: [flat()] })],
  ])('%s', (_, rows, terms, look) => {
    expect(liesIn(rows, terms, look)).toEqual([]);
  });
});

function flat() {
  return lineTerms({ model: 'flat-fee', prices: [{ from: hourAt(0), rate_minor: 700_000 }] });
}

describe('a statement lies', () => {
  it.each<[string, string, StatementRow[], (BuyTerms | undefined)?, Partial<Look>?]>([
    ['that counts less than nothing', 'not_a_count', [statedRow(0, -1)]],
    ['that counts halves', 'not_a_count', [statedRow(0, 1.5)]],
    ['that counts less than nothing of anything', 'not_a_count', [statedRow(0, 100, counts({ completions: -1 }))]],
    ['that counts without end', 'not_a_count', [statedRow(0, MAX_COUNT + 1)]],
    ['with a spend below zero', 'spend', [statedRow(0, 100, { spend_minor: -1 })]],
    ['with a spend that is no amount', 'spend', [statedRow(0, 100, { spend_minor: MAX_MINOR + 1 })]],
    ['without the spend it is to state', 'spend', [statedRow(0, 100)], undefined, { described: { spend: 'stated' } }],
    ['off its grain', 'grain', [statedRow(0.5, 100)]],
    ['on another zone’s grain', 'grain', [statedRow(3, 100)], undefined, { described: { offset_minutes: 45 } }],
    ['of the future', 'future', [statedRow(49, 100)]],
    ['of before the flight', 'too_early', [statedRow(1, 9)], late({ lines: [lineTerms({ start: hourAt(2) })] })],
    ['of before the buy was made', 'too_early', [statedRow(1, 9)], late({ created_at: hourAt(2) })],
    ['of another buy', 'unknown_buy', [statedRow(1, 9, { media_buy_id: 'mb_9' })]],
    ['of another package', 'unknown_package', [statedRow(1, 9, { package_id: 'pkg_9' })]],
    ['with more clicks than impressions', 'clicks', [statedRow(1, 9, { clicks: 10 })]],
    ['that says an hour twice', 'twice', [statedRow(1, 9), statedRow(1, 9)]],
    ['that says a creative twice', 'twice', [1, 1].map(() => statedRow(1, 9, { creative_id: 'a' }))],
    ['that says an hour in all and by creative', 'twice', [statedRow(1, 9), statedRow(1, 9, { creative_id: 'a' })]],
    ['that says an hour by creative and in all', 'twice', [statedRow(1, 9, { creative_id: 'a' }), statedRow(1, 9)]],
    ['that comes to more than can be counted', 'uncountable', [statedRow(1, MAX_COUNT)], late({ lines: [dear()] })],
  ])('%s', (_, lie, rows, terms, look) => {
    expect(liesIn(rows, terms, look)).toEqual([lie]);
  });

  it('that was complete for longer before', () => {
    const answered = statementOf([], { from: 0, until: 9, rows: [] });
    const terms = buyTerms();
    const said = (complete_until: string) => statementProblems(answered, [asked(terms, { complete_until })]);
    expect(said(hourAt(9))).toEqual([]);
    expect(said(hourAt(9.9))).toEqual([]);
    expect(said(hourAt(10))).toMatchObject([{ lie: 'going_back', media_buy_id: 'mb_1' }]);
  });

  it('and every lie is told with its place', () => {
    const rows = [statedRow(0.5, -1), statedRow(60, 9, { package_id: 'pkg_9' })];
    const answered = statementOf([], { from: 0, until: 48, rows });
    const problems = statementProblems(answered, [asked(buyTerms({ now: hourAt(48) }))]);
    const place = { media_buy_id: 'mb_1', package_id: 'pkg_1', hour: hourAt(0.5) };
    expect(problems.map(({ message: _, ...rest }) => rest)).toEqual([
      { lie: 'not_a_count', ...place },
      { lie: 'grain', ...place },
      { lie: 'unknown_package', ...place, package_id: 'pkg_9', hour: hourAt(60) },
    ]);
  });
});

/** At the highest price there is, where nobody expects little. */
function dear() {
  return lineTerms({ prices: [{ from: hourAt(0), rate_minor: MAX_MINOR }], forecast_per_hour: MAX_COUNT });
}

describe('an hour is implausible', () => {
  // 1,000,000 minor units at 650 a thousand are 1,538,461 impressions, 6,410 an hour over ten days.
  it.each<[string, number, number, Partial<ReturnType<typeof lineTerms>>]>([
    ['a hundred times an even pace', 641_025, 0, {}],
    ['a hundred times the pace of what is left, after a pause', 100 * 384_615, 236, {}],
    ['a hundred times the forecast', 5000, 0, { forecast_per_hour: 50 }],
    ['a hundred times all that the budget buys, where it is to go fast', 153_846_153, 0, { pacing: 'asap' }],
    ['a thousand units, however small the budget', 1000, 0, { budget_minor: 7 }],
    [
      'a hundred times the clicks of an even pace',
      29_761,
      0,
      { model: 'cpc', prices: [{ from: hourAt(0), rate_minor: 14 }] },
    ],
  ])('above %s', (_, most, hour, changes) => {
    const { model } = lineTerms(changes);
    const row = (units: number) =>
      statedRow(hour, 1e9, {
        counts: model === 'cpc' ? { impressions: 1e9, clicks: units } : { impressions: units, clicks: 0 },
      });
    const terms = buyTerms({ now: hourAt(240), lines: [lineTerms(changes)] });
    expect(liesIn([row(most)], terms, { until: 240 })).toEqual([]);
    expect(liesIn([row(most + Math.ceil(most / 1000))], terms, { until: 240 })).toEqual(['implausible']);
  });

  it('when a stated spend is more than a hundred times its pace, which is all that tells of a flat fee', () => {
    const look = { until: 240, described: { spend: 'stated' as const } };
    for (const line of [lineTerms({ budget_minor: 700_000 }), { ...flat(), budget_minor: 700_000 }]) {
      const terms = buyTerms({ now: hourAt(240), lines: [line] });
      expect(liesIn([statedRow(0, 9, { spend_minor: 291_666 })], terms, look)).toEqual([]);
      expect(liesIn([statedRow(0, 9, { spend_minor: 291_667 })], terms, look)).toEqual(['implausible']);
    }
  });

  it('a thousand times what an even line delivers, at any hour of its flight', () => {
    for (const hour of [0, 100, 200, 239]) {
      const spent = Math.round((1_000_000 * hour) / 240);
      const book = { impressions: 0, clicks: 0, billed_minor: spent, periods: {}, beyond: '' };
      const answered = statementOf([], { from: hour, until: 240, rows: [statedRow(hour, 6_410_000)] });
      const problems = statementProblems(answered, [asked(buyTerms(), { lines: { pkg_1: book } })]);
      expect(problems.map(({ lie }) => lie)).toEqual(['implausible']);
    }
  });
});
