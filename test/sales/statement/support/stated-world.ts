import { expect } from 'vitest';
import { HOUR_MS } from '../../../../src/platform/hours.ts';
import { cpmCost, unitCost } from '../../../../src/platform/money.ts';
import { measuresIn, sumMeasures } from '../../../../src/sales/delivery/measure.ts';
import { readDelivery } from '../../../../src/sales/delivery/read-delivery.ts';
import type { BuyTerms, LineTerms } from '../../../../src/sales/statement/buy-terms.ts';
import { BLANK_LINE } from '../../../../src/sales/statement/delivery-book.ts';
import { hourAt, START } from './open-facts.ts';
import type { OpenFacts } from './open-facts.ts';

/** How long a flight lasts here. */
export const FLIGHT_HOURS = 60;

/** What the ad server has, by `package/hour`, and what the buyer agreed to. */
export interface World {
  terms: BuyTerms;
  counts: Map<string, number>;
  /** What the last statement that was recorded said of each hour it ever covered. */
  said: Map<string, number>;
  at: number;
  completed: number;
}

/** What else is counted beside so many impressions. */
export function partsOf(impressions: number) {
  const [clicks, viewable, completions] = [7, 2, 3].map((n) => Math.floor(impressions / n));
  return { clicks: clicks ?? 0, viewable: viewable ?? 0, completions: completions ?? 0 };
}

/** All that is stored of the buy. */
export async function snapshot(open: OpenFacts, { terms }: World) {
  const { media_buy_id } = terms;
  const { rows: months } = await open.facts.months.find({ where: { media_buy_id } });
  const [book, hours] = [await open.facts.books.get(media_buy_id), await open.hours(terms)];
  return { book, hours, corrections: await open.corrections(terms), months };
}

const RANGE = { fromMs: Date.parse(hourAt(-24)), untilMs: Date.parse(hourAt(24 * 40)) };

/** Nothing is billed beyond the budget in force, in what readers see at this instant. */
export async function expectWithinBudget(open: OpenFacts, { terms }: World): Promise<void> {
  for (const by of ['hour', 'day'] as const) {
    const facts = await readDelivery(open.facts, terms.media_buy_id, RANGE, by);
    for (const { package_id, budget_minor } of terms.lines) {
      const its = facts.filter((fact) => fact.package_id === package_id);
      expect(sumMeasures(its).spend_minor).toBeLessThanOrEqual(budget_minor);
    }
  }
}

/** The book is true of the world, and the facts of the book. */
export async function expectTrue(open: OpenFacts, world: World, spend: 'stated' | 'computed'): Promise<void> {
  const { terms, said } = world;
  await expectWithinBudget(open, world);
  const { book } = await snapshot(open, world);
  const facts = await readDelivery(open.facts, terms.media_buy_id, RANGE, 'hour');
  const days = await readDelivery(open.facts, terms.media_buy_id, RANGE, 'day');
  expect(sumMeasures(days)).toEqual(sumMeasures(facts));
  const corrections = await open.corrections(terms);
  for (const line of terms.lines) {
    const its = facts.filter(({ package_id }) => package_id === line.package_id);
    const hours = new Map(its.map(({ fromMs, ...fact }) => [(fromMs - Date.parse(START)) / HOUR_MS, fact]));
    // Counts are those of the last statement, hour by hour.
    for (let hour = 0; hour < world.completed; hour++) {
      const impressions = said.get(`${line.package_id}/${hour}`) ?? 0;
      const { clicks } = partsOf(impressions);
      expect(hours.get(hour) ?? { impressions: 0, clicks: 0 }).toMatchObject({ impressions, clicks });
    }
    // The corrections of an hour are one chain, numbered from 1, that ends with what it is now.
    for (const [hour, fact] of hours) {
      const chain = corrections.filter((made) => made.package_id === line.package_id && made.hour === hourAt(hour));
      const ids = chain.map((_, i) => `corr_${line.package_id}_${hourAt(hour)}_${i + 1}`);
      expect(chain.map(({ correction_id }) => correction_id)).toEqual(ids);
      for (const [i, { after }] of chain.entries()) {
        const { package_id: _, ...now } = fact;
        if (i < chain.length - 1) expect(chain[i + 1]?.before).toEqual(after);
        else expect(after).toMatchObject(now);
      }
    }
    expectMoney(line, { its, book: book?.lines[line.package_id] ?? BLANK_LINE, world, spend });
  }
}

interface Money {
  its: readonly { impressions: number; spend_minor: number; clicks: number }[];
  book: typeof BLANK_LINE;
  world: World;
  spend: 'stated' | 'computed';
}

/** What is billed and what is not add up to what the counts cost, by arithmetic of its own. */
function expectMoney(line: LineTerms, { its, book, world, spend }: Money): void {
  const { impressions, spend_minor, clicks } = sumMeasures(its);
  const beyond = sumMeasures(measuresIn(book.beyond)).spend_minor;
  expect(book).toMatchObject({ impressions, clicks, billed_minor: spend_minor });
  const said = [...world.said].filter(([key]) => key.startsWith(`${line.package_id}/`));
  if (spend === 'stated') {
    expect(spend_minor + beyond).toBe(said.reduce((sum, [, count]) => sum + 2 * count, 0));
    return;
  }
  const isFee = line.model === 'flat-fee';
  if (isFee) {
    const elapsed = Math.min(1, world.completed / FLIGHT_HOURS);
    expect(spend_minor + beyond).toBeLessThanOrEqual(
      Math.ceil((line.prices[0]?.rate_minor ?? 0) * (elapsed + 1 / FLIGHT_HOURS)),
    );
    if (world.completed >= FLIGHT_HOURS) expect(spend_minor + beyond).toBe(line.prices[0]?.rate_minor);
    return;
  }
  const units = new Map<number, number>();
  for (const [key, count] of said) {
    const hour = Number(key.split('/')[1]);
    const index = line.prices.findLastIndex(({ from }, i) => i === 0 || Date.parse(from) <= Date.parse(hourAt(hour)));
    units.set(index, (units.get(index) ?? 0) + unitsIn(line, count));
  }
  const owed = Object.values(book.periods).reduce((sum, period) => sum + period.owed_minor, 0);
  expect(spend_minor + beyond + owed).toBe([...units].reduce((sum, [index, all]) => sum + cost(line, index, all), 0));
  expect(Math.abs(owed)).toBeLessThanOrEqual(2 * line.prices.length);
}

function unitsIn({ model }: LineTerms, impressions: number): number {
  const { clicks, viewable, completions } = partsOf(impressions);
  const paid = { cpm: impressions, 'cpm-auction': impressions, 'flat-fee': 0, vcpm: viewable, cpc: clicks };
  return model === 'cpcv' ? completions : paid[model];
}

function cost({ model, prices }: LineTerms, index: number, units: number): number {
  const rate = prices[index]?.rate_minor ?? 0;
  return model === 'cpc' || model === 'cpcv' ? unitCost(units, rate) : cpmCost(units, rate);
}
