import { fromTimestamp } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { Description } from '../ad-server/description.ts';
import type { Statement, StatementQuery } from '../ad-server/statement.ts';
import type { DeliveryDay } from '../delivery/delivery-facts.ts';
import type { BuyTerms } from './buy-terms.ts';
import type { DeliveryBook } from './delivery-book.ts';
import { dayName, storedHours } from './plan-day.ts';
import { completeUntil } from './reach.ts';
import { daysOf, grainOf } from './window.ts';
import type { Window } from './window.ts';

/** A buy whose statement was asked for, with its book as it was opened before. */
export interface OpenedBuy {
  terms: BuyTerms;
  book: DeliveryBook;
}

/** With its days in the facts from the first that was asked for, by their names. */
export interface AskedBuy extends OpenedBuy {
  days: ReadonlyMap<string, DeliveryDay>;
  /** Another statement was recorded since; the days may be newer than the book. */
  isStale: boolean;
}

/** What was asked for, and what was answered. */
export interface AnsweredStatement {
  query: Pick<StatementQuery, 'from' | 'until'>;
  /** All its pages in one. */
  statement: Pick<Statement, 'complete_until' | 'final_until' | 'rows'>;
  /** How the ad server says that it states. */
  described: Pick<Description['statements'], 'offset_minutes' | 'spend'>;
}

/** What a statement answers for of a buy; undefined when it says nothing of how far it is complete for that buy. */
export function windowOf({ query, statement, described }: AnsweredStatement, media_buy_id: string): Window | undefined {
  const complete_until = completeUntil(statement, media_buy_id);
  if (complete_until === undefined) return undefined;
  const untilMs = fromTimestamp(query.until);
  const completeMs = Math.min(untilMs, fromTimestamp(complete_until));
  return { ...grainOf(described.offset_minutes), fromMs: fromTimestamp(query.from), untilMs, completeMs };
}

/** What a line was billed for the hours before those that were asked for; minor units. */
export function billedBefore({ book, days }: AskedBuy, window: Window, package_id: string): number {
  let billed = book.lines[package_id]?.billed_minor ?? 0;
  for (const dayMs of daysOf(window)) {
    for (const [hourMs, { spend_minor }] of storedHours(days.get(dayName(dayMs)), dayMs, package_id)) {
      if (hourMs + HOUR_MS > window.fromMs) billed -= spend_minor;
    }
  }
  return billed;
}
