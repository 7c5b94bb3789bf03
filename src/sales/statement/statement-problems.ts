import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';
import { MAX_MINOR } from '../../platform/money.ts';
import type { StatementRow } from '../ad-server/statement.ts';
import { billedBefore, windowOf } from './asked-buy.ts';
import type { AnsweredStatement, AskedBuy } from './asked-buy.ts';
import type { LineTerms } from './buy-terms.ts';
import { BLANK_LINE } from './delivery-book.ts';
import { dayName, storedHours } from './plan-day.ts';
import { costOf, priceIn, unitsFor, unitsOf } from './prices.ts';
import { completeUntil, recordedUntil } from './reach.ts';
import { hourOf, statedHours } from './stated-hours.ts';
import type { StatedHour } from './stated-hours.ts';
import { bucketOf, grainOf, isCovered } from './window.ts';
import type { Window } from './window.ts';

/** In what a statement cannot be true. */
export type StatementLie =
  | 'unknown_buy'
  | 'unknown_package'
  | 'not_a_count'
  | 'clicks'
  | 'spend'
  | 'grain'
  | 'future'
  | 'too_early'
  | 'twice'
  | 'going_back'
  | 'implausible'
  | 'uncountable';

export interface StatementProblem {
  lie: StatementLie;
  media_buy_id: string;
  package_id?: string;
  /** As it was stated. */
  hour?: string;
  /** For the operator. */
  message: string;
}

/** The most that one row may count of anything. */
export const MAX_COUNT = 999_999_999_999;
/** An hour of more than this many times what can be expected is no slip of a counter. */
const IMPLAUSIBLE = 100;
/** Below so many units in an hour nothing is implausible. */
const FEW_UNITS = 1000;
/** Nor below this amount of spend. */
const FEW_MINOR = 1000;

/**
 * Why a statement cannot be true: none of it is to be recorded then. Rows that will be ignored are judged too. First each row
 * by itself; only when all are sound, what they add up to. Pure.
 */
export function statementProblems(answered: AnsweredStatement, asked: readonly AskedBuy[]): StatementProblem[] {
  const { rows } = answered.statement;
  const buys = new Map(asked.map((buy): [string, AskedBuy] => [buy.terms.media_buy_id, buy]));
  const first = [
    ...asked.flatMap((buy) => goingBack(answered, buy)),
    ...rows.flatMap((row) => rowProblems(answered, buys.get(row.media_buy_id), row)),
  ];
  if (first.length > 0) return first;
  return asked.flatMap((buy) => {
    const its = rows.filter(({ media_buy_id }) => media_buy_id === buy.terms.media_buy_id);
    return [...doubleRows(its), ...(buy.isStale ? [] : sumProblems(answered, buy, its))];
  });
}

/** Whole hours that were complete are not any more; clocks that differ by less lie about nothing. */
function goingBack({ statement, described }: AnsweredStatement, { terms, book }: AskedBuy): StatementProblem[] {
  const { media_buy_id } = terms;
  const complete_until = completeUntil(statement, media_buy_id);
  if (complete_until === undefined || book.complete_until === null) return [];
  const { offset_minutes } = described;
  if (recordedUntil(complete_until, offset_minutes) >= recordedUntil(book.complete_until, offset_minutes)) return [];
  const message = `was complete until ${book.complete_until}, and says now ${complete_until}`;
  return [{ lie: 'going_back', media_buy_id, message }];
}

function rowProblems({ described }: AnsweredStatement, buy: AskedBuy | undefined, row: StatementRow) {
  const problems: StatementProblem[] = [];
  const { media_buy_id, package_id, hour, counts, spend_minor } = row;
  const note = (lie: StatementLie, message: string) => {
    problems.push({ lie, media_buy_id, package_id, hour, message });
  };
  for (const [name, count] of Object.entries(counts)) {
    if (count !== undefined && !isCount(count)) note('not_a_count', `${name} is ${count}`);
  }
  const hasSpend = spend_minor !== undefined;
  if (hasSpend && !(Number.isSafeInteger(spend_minor) && spend_minor >= 0 && spend_minor <= MAX_MINOR)) {
    note('spend', `spend is ${spend_minor}`);
  }
  if (!hasSpend && described.spend === 'stated') note('spend', 'no spend is stated, by an ad server that states it');
  const grain = grainOf(described.offset_minutes);
  const { beginsMs, endsMs } = bucketOf(grain, hourOf(row));
  if (fromTimestamp(hour) !== beginsMs) note('grain', `its hours begin ${grain.offsetMs / 60_000} minutes past`);
  const line = buy?.terms.lines.find((one) => one.package_id === package_id);
  if (buy === undefined) note('unknown_buy', 'it was not asked for this media buy');
  else if (line === undefined && buy.terms.dropped?.includes(package_id) !== true) {
    note('unknown_package', 'the media buy has no such package');
  }
  if (buy === undefined || line === undefined) return problems;
  const { created_at, now } = buy.terms;
  if (hour > now) note('future', `the flight stands at ${now}`);
  const earliest = line.start > created_at ? line.start : created_at;
  if (endsMs <= fromTimestamp(earliest)) note('too_early', `nothing can be delivered before ${earliest}`);
  return problems;
}

function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count <= MAX_COUNT;
}

/** An hour is stated once, in all or by creative: else it would be counted twice. */
function doubleRows(rows: readonly StatementRow[]): StatementProblem[] {
  const seen = new Map<string, Set<string | undefined>>();
  return rows.flatMap(({ media_buy_id, package_id, hour, creative_id }) => {
    const key = JSON.stringify([package_id, hour]);
    const creatives = seen.get(key) ?? new Set();
    const isTwice = creatives.has(creative_id);
    const isMixed = creatives.size > 0 && creatives.has(undefined) !== (creative_id === undefined);
    seen.set(key, creatives.add(creative_id));
    if (!isTwice && !isMixed) return [];
    const message = isTwice ? 'is stated twice' : 'is stated in all and by creative';
    return [{ lie: 'twice' as const, media_buy_id, package_id, hour, message }];
  });
}

function sumProblems(answered: AnsweredStatement, buy: AskedBuy, rows: readonly StatementRow[]): StatementProblem[] {
  const { media_buy_id, lines } = buy.terms;
  const window = windowOf(answered, media_buy_id);
  const problems: StatementProblem[] = [];
  const stated = statedHours(rows);
  for (const line of lines) {
    const { package_id } = line;
    const note = (lie: StatementLie, hourMs: number, message: string) => {
      const hour = toTimestamp(bucketOf(grainOf(answered.described.offset_minutes), hourMs).beginsMs);
      problems.push({ lie, media_buy_id, package_id, hour, message });
    };
    const left = window && Math.max(0, line.budget_minor - billedBefore(buy, window, package_id));
    for (const [hourMs, said] of stated.get(package_id) ?? []) {
      const { clicks, impressions } = said;
      if (clicks > impressions) note('clicks', hourMs, `${clicks} clicks on ${impressions} impressions`);
      if (window === undefined || left === undefined || !isCovered(window, hourMs)) continue;
      if (isKnown(buy, package_id, hourMs, said)) continue;
      const units = unitsOf(line.model, said);
      const most = mostUnits(line, left, window, hourMs);
      if (units > most) note('implausible', hourMs, `${units} units, and ${Math.floor(most)} would be very many`);
      else if (answered.described.spend === 'stated' && said.spend_minor > mostSpend(line, left, window, hourMs)) {
        note('implausible', hourMs, `a spend of ${said.spend_minor} minor units is far too much`);
      }
    }
  }
  if (problems.length === 0 && !isCountable(buy, stated)) {
    return [{ lie: 'uncountable', media_buy_id, message: 'its hours come to more than can be counted' }];
  }
  return problems;
}

/** Whether an hour is recorded to be as much already, or more: it was believed then, when there may have been more to spend. */
function isKnown({ days }: AskedBuy, package_id: string, hourMs: number, said: StatedHour): boolean {
  const dayMs = Math.floor(hourMs / DAY_MS) * DAY_MS;
  const known = storedHours(days.get(dayName(dayMs)), dayMs, package_id).get(hourMs);
  return known !== undefined && said.impressions <= known.impressions && said.spend_minor <= known.spend_minor;
}

/** The most units that are believed of an hour; of a flat fee nothing is known. */
function mostUnits(line: LineTerms, left_minor: number, window: Window, hourMs: number): number {
  if (line.forecast_per_hour !== undefined) return Math.max(FEW_UNITS, IMPLAUSIBLE * line.forecast_per_hour);
  if (line.model === 'flat-fee') return Infinity;
  const { rate_minor } = priceIn(line.prices, hourMs);
  return Math.max(FEW_UNITS, unitsFor(line.model, mostMinor(line, left_minor, window, hourMs), rate_minor));
}

/** The most that is believed to have been spent in an hour, where it is stated. */
function mostSpend(line: LineTerms, left_minor: number, window: Window, hourMs: number): number {
  if (line.forecast_per_hour !== undefined) return Infinity;
  const { rate_minor } = priceIn(line.prices, hourMs);
  const ofFewUnits = line.model === 'flat-fee' ? 0 : FEW_UNITS / unitsFor(line.model, 1, rate_minor);
  return Math.max(FEW_MINOR, ofFewUnits, mostMinor(line, left_minor, window, hourMs));
}

/**
 * A hundred times what an hour is expected to cost: the budget spread over the flight, or what is left of it over the rest
 * of the flight, whichever is more, since a pause is caught up with. As fast as possible: all the budget.
 */
function mostMinor(line: LineTerms, left_minor: number, window: Window, hourMs: number): number {
  const budget_minor = Math.max(line.budget_minor, line.peak_budget_minor ?? 0);
  if (line.pacing === 'asap') return IMPLAUSIBLE * budget_minor;
  const hoursUntilEnd = (fromMs: number) => Math.max(1, (fromTimestamp(line.end) - fromMs) / HOUR_MS);
  const even = budget_minor / hoursUntilEnd(fromTimestamp(line.start));
  const rest = left_minor / hoursUntilEnd(bucketOf(window, hourMs).beginsMs);
  return IMPLAUSIBLE * Math.max(even, rest);
}

/** Whether the buy's sums stay exact whatever of the statement is new; nobody honest comes near. */
function isCountable({ terms, book }: AskedBuy, stated: ReadonlyMap<string, ReadonlyMap<number, StatedHour>>): boolean {
  let all = 0;
  for (const { package_id, model, prices } of terms.lines) {
    const hours = [...(stated.get(package_id)?.values() ?? [])];
    const { impressions, billed_minor, periods } = book.lines[package_id] ?? BLANK_LINE;
    const sum = (of: (hour: StatedHour) => number) => hours.reduce((so, hour) => so + of(hour), 0);
    all += impressions + sum((hour) => hour.impressions);
    const known = Object.values(periods).reduce((so, { units }) => so + units, 0);
    const units = known + sum((hour) => unitsOf(model, hour));
    const highest = Math.max(...prices.map(({ rate_minor }) => rate_minor));
    if (![all, units].every(Number.isSafeInteger) || billed_minor + sum((hour) => hour.spend_minor) > MAX_MINOR)
      return false;
    try {
      if (model !== 'flat-fee') costOf(model, units, highest);
    } catch {
      return false;
    }
  }
  return true;
}
