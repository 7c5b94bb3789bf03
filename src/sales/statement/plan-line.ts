import { toTimestamp } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import { measuresIn, slotOf, sumMeasures, withSlot } from '../delivery/measure.ts';
import type { HourChange } from '../delivery/hour-change.ts';
import type { LineTerms } from './buy-terms.ts';
import type { LineBook } from './delivery-book.ts';
import { costOf, feeDue, priceIn, unitsOf } from './prices.ts';
import { UNCOUNTED } from './stated-hours.ts';
import type { Counted, StatedHour } from './stated-hours.ts';

/** An hour of a line: what the facts have, what is stated, and what it is to cost. */
interface Hour {
  hourMs: number;
  endsMs: number;
  /** Nothing served in it is billed: the flight was over. */
  isOver: boolean;
  /** In the facts, or known to be empty: another count of it is a correction. */
  isKnown: boolean;
  before: StatedHour;
  said: StatedHour;
  /** What it costs by its counts, whether billed or not: by the facts, and as it is now. */
  costBefore: number;
  cost: number;
  /** What is billed of it. */
  spend: number;
}

export interface PlanLine {
  line: LineTerms;
  book: LineBook;
  /** The hours to plan, all of one day; milliseconds, ascending. */
  hours: readonly { hourMs: number; beginsMs: number; endsMs: number }[];
  stored: ReadonlyMap<number, StatedHour>;
  stated: ReadonlyMap<number, StatedHour>;
  /** Every bucket that ends by then is known. */
  knownMs: number;
  /** From when on nothing is billed. */
  overMs: number;
  spend: 'stated' | 'computed';
  /** No later day has anything. */
  isNewest: boolean;
  /** Every hour of the line is known by now. */
  isDone: boolean;
  /** The id of a correction of an hour. */
  correctionId: (hour: string) => string;
}

/**
 * What a line's hours of one day are to be, and the line's book after them. Counts are taken as stated. Money: an hour that
 * costs less than before gives up what was not billed first; what an hour costs more is billed as far as the budget in force
 * allows, and the rest of it never. Pure. @throws {RangeError} when it cannot be counted.
 */
export function planLine(given: PlanLine): { book: LineBook; changes: HourChange[] } {
  const hours = given.hours.map((hour) => asStored(given, hour));
  const periods = priceHours(given, hours);
  const billed_minor = bill(given, hours);
  const changes = hours.flatMap((hour) => changeOf(given, hour));
  let { impressions, clicks, beyond } = given.book;
  for (const { before, said, ...hour } of hours) {
    impressions += said.impressions - before.impressions;
    clicks += said.clicks - before.clicks;
    beyond = withBeyond(beyond, { ...hour, said });
  }
  return { book: { ...given.book, impressions, clicks, billed_minor, periods, beyond }, changes };
}

function asStored({ book, stored, stated, knownMs, overMs }: PlanLine, at: PlanLine['hours'][number]): Hour {
  const { hourMs, beginsMs, endsMs } = at;
  const before = stored.get(hourMs) ?? UNCOUNTED;
  const cost = before.spend_minor + (slotOf(book.beyond, hourMs / HOUR_MS)?.spend_minor ?? 0);
  return {
    ...{ hourMs, endsMs, isOver: beginsMs >= overMs, isKnown: stored.has(hourMs) || endsMs <= knownMs },
    ...{ before, said: stated.get(hourMs) ?? UNCOUNTED },
    ...{ costBefore: cost, cost, spend: before.spend_minor },
  };
}

/** Sets what each hour costs; answers the periods of prices after it. */
function priceHours(given: PlanLine, hours: Hour[]): LineBook['periods'] {
  const { line, book, spend } = given;
  if (spend === 'stated') for (const hour of hours) hour.cost = hour.said.spend_minor;
  else if (line.model === 'flat-fee') priceByTime(given, hours);
  else return priceByUnits(given, hours);
  return book.periods;
}

/** A flat fee falls due with time, whatever is counted; an hour that is known keeps what it cost. */
function priceByTime({ line, book, overMs }: PlanLine, hours: Hour[]): void {
  let dueSoFar = book.billed_minor + sumMeasures(measuresIn(book.beyond)).spend_minor;
  for (const hour of hours.filter(({ isKnown }) => !isKnown)) {
    const { rate_minor } = priceIn(line.prices, hour.hourMs);
    hour.cost = Math.max(0, feeDue(line, rate_minor, Math.min(hour.endsMs, overMs)) - dueSoFar);
    dueSoFar += hour.cost;
  }
}

/**
 * The price of all units at one price is rounded once, so an hour costs what its units add to that. What an hour cannot take
 * (it has no units left, or would cost less than nothing) is owed to the next one of that price that changes.
 */
function priceByUnits({ line: { model, prices }, book, isDone }: PlanLine, hours: Hour[]): LineBook['periods'] {
  const periods = { ...book.periods };
  for (const hour of hours) {
    const { period, rate_minor } = priceIn(prices, hour.hourMs);
    const known = periods[period] ?? { units: 0, owed_minor: 0 };
    const { units, owed_minor } = known;
    const [fewer, more] = [unitsOf(model, hour.before), unitsOf(model, hour.said)];
    if (fewer === more) continue;
    const after = units - fewer + more;
    const due = costOf(model, after, rate_minor) - costOf(model, units, rate_minor) + owed_minor;
    hour.cost = more === 0 ? 0 : Math.max(0, hour.costBefore + due);
    periods[period] = { ...known, units: after, owed_minor: due - (hour.cost - hour.costBefore) };
  }
  for (const [period, known] of Object.entries(periods)) {
    const { owed_minor } = known;
    if (owed_minor === 0) continue;
    const taker = hours.findLast(
      (hour) =>
        priceIn(prices, hour.hourMs).period === period &&
        unitsOf(model, hour.said) > 0 &&
        hour.cost + owed_minor >= 0 &&
        (isDone || isRecounted(hour)),
    );
    if (taker === undefined) continue;
    taker.cost += owed_minor;
    periods[period] = { ...known, owed_minor: 0 };
  }
  return periods;
}

/** Sets what of each hour is billed; answers what is billed of the line in all. */
function bill({ line, book, isNewest }: PlanLine, hours: Hour[]): number {
  let billed = book.billed_minor;
  for (const hour of hours) {
    hour.spend = Math.min(hour.before.spend_minor, hour.cost);
    billed -= hour.before.spend_minor - hour.spend;
  }
  for (const hour of hours) {
    const free = hour.isOver ? 0 : Math.max(0, line.budget_minor - billed);
    const added = Math.min(free, Math.max(0, hour.cost - hour.costBefore));
    hour.spend += added;
    billed += added;
  }
  // The budget in force was cut below what is billed: the newest hours give it back.
  for (const hour of isNewest ? hours.toReversed() : []) {
    const over = Math.min(hour.spend, Math.max(0, billed - line.budget_minor));
    hour.spend -= over;
    billed -= over;
  }
  return billed;
}

function isRecounted({ before, said }: Pick<Hour, 'before' | 'said'>): boolean {
  const names: (keyof Counted)[] = ['impressions', 'clicks', 'viewable', 'completions'];
  return names.some((name) => before[name] !== said[name]);
}

function changeOf({ line, correctionId }: PlanLine, { hourMs, isKnown, before, said, spend }: Hour): HourChange[] {
  if (!isRecounted({ before, said }) && spend === before.spend_minor) return [];
  const { package_id } = line;
  const hour = toTimestamp(hourMs);
  const { impressions, clicks, viewable, completions } = said;
  return [
    {
      ...{ package_id, hour, impressions, spend_minor: spend, clicks },
      ...((said.isWatched || before.isWatched) && { viewable, completions }),
      ...(isKnown && { correction_id: correctionId(hour) }),
    },
  ];
}

/** The hour's part that is not billed: of its counts, the share that its money is of what it costs. */
function withBeyond(beyond: string, { hourMs, isOver, said, cost, spend }: Omit<Hour, 'before'>): string {
  const slot = hourMs / HOUR_MS;
  const unbilled = BigInt(cost - spend);
  const share = (count: number) => {
    if (cost === 0) return isOver ? count : 0;
    return Number((BigInt(count) * unbilled) / BigInt(cost));
  };
  const part = { impressions: share(said.impressions), spend_minor: cost - spend, clicks: share(said.clicks) };
  const isNothing = part.impressions === 0 && part.spend_minor === 0;
  if (isNothing && slotOf(beyond, slot) === undefined) return beyond;
  return withSlot(beyond, slot, part);
}
