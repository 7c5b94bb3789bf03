import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { ceilHour, DAY_MS, floorHour, HOUR_MS } from '../../platform/hours.ts';
import type { Logger } from '../../platform/log.ts';
import { impressionsFor } from '../../platform/money.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import type { Description } from '../ad-server/description.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import { askStatement } from '../statement/ask-statement.ts';
import type { BookedFacts, DeliveryBook } from '../statement/delivery-book.ts';
import { openBook } from '../statement/open-book.ts';
import { askFrom, firstHour, isDelayed, isFinal, recordedUntil } from '../statement/reach.ts';
import { recordStatement } from '../statement/record-statement.ts';
import type { FlightClock } from './flight-clock.ts';
import { overAtMs, termsOf } from './terms-of.ts';

/** The ad server is asked for at most this much at a time. */
const MAX_RANGE_MS = 31 * DAY_MS;

export interface StatementDependencies {
  adServer: Pick<AdServer, 'statements' | 'read'>;
  /** As the ad server last described itself. */
  describe: () => Promise<Description>;
  facts: BookedFacts;
  flightClock: FlightClock;
  clock: Clock;
  log: Logger;
}

/** How far the delivery of a buy is known. */
export interface Recorded {
  /** Every hour before it is recorded; a timestamp. */
  recorded_until: string;
  /** What should be in by now is not. */
  is_delayed: boolean;
  /** No line can spend any more, whatever time is left. */
  is_spent: boolean;
  /** Nothing will ever be added or stated otherwise. */
  is_final: boolean;
}

/** Asks what a buy has delivered until now, in whole hours, and records it in its book. */
export async function recordFlight(
  deps: StatementDependencies,
  buy: MediaBuy,
  before: { recorded_until: string },
  flightMs: number,
): Promise<Recorded> {
  const isOver = isTerminalBuy(buy.status);
  const known = { ...before, is_delayed: false, is_spent: false };
  if (holdingOf(buy) === null) return { ...known, is_final: isOver && (buy.stop ?? null) === null };
  const { statements: described } = await deps.describe();
  const terms = termsOf(buy, deps.flightClock, flightMs, before.recorded_until);
  const untilMs = isOver ? ceilHour(flightMs) : floorHour(flightMs);
  for (;;) {
    const book = await openBook(deps.facts, terms);
    const recorded =
      book.complete_until === null ? firstHour(terms) : recordedUntil(book.complete_until, described.offset_minutes);
    const range = { first: firstHour(terms), final_until: book.final_until ?? undefined };
    const from = askFrom(recorded, described.restates_hours, range);
    const nextMs = fromTimestamp(from) + HOUR_MS;
    // Of a buy that is over, the ad server is asked until it says that all is final, also when no hour has gone by.
    const lastMs = isOver ? Math.max(untilMs, nextMs) : untilMs;
    const upToMs = Math.min(lastMs, fromTimestamp(recorded) + MAX_RANGE_MS);
    if (upToMs <= fromTimestamp(from) || isAllFinal(deps, buy, { book, recorded, described })) {
      return reached(deps, buy, { book, recorded, described });
    }
    const query = { from, until: toTimestamp(upToMs) };
    const statement = await askStatement(deps.adServer, { media_buy_ids: [buy.media_buy_id], ...query });
    const recorded_at = toTimestamp(deps.clock.now());
    const done = await recordStatement(deps.facts, {
      query,
      statement,
      described,
      buys: [{ terms, book }],
      recorded_at,
    });
    if (done.outcome === 'quarantined') {
      const { media_buy_id } = buy;
      deps.log.error(
        { media_buy_id, problems: done.problems },
        'a statement of the ad server cannot be true: nothing of it is recorded',
      );
      return { ...known, recorded_until: recorded, is_delayed: true, is_final: false };
    }
    const its = done.buys.get(buy.media_buy_id);
    if (its === undefined || its.isStale) continue;
    const until =
      its.book.complete_until === null ? recorded : recordedUntil(its.book.complete_until, described.offset_minutes);
    if (until <= recorded || fromTimestamp(until) >= untilMs) {
      return reached(deps, buy, { book: its.book, recorded: until, described });
    }
  }
}

interface Reach {
  book: DeliveryBook;
  recorded: string;
  described: Description['statements'];
}

/** When a buy is over, or its flight will be; a timestamp of the flight. */
function endOf(buy: MediaBuy, flightClock: FlightClock): string {
  return toTimestamp(Math.min(fromTimestamp(buy.end_time), overAtMs(buy, flightClock) ?? Infinity));
}

function isAllFinal({ flightClock }: StatementDependencies, buy: MediaBuy, { book, described }: Reach): boolean {
  const hasEnded = isTerminalBuy(buy.status) && holdingOf(buy)?.state === 'ended' && (buy.stop ?? null) === null;
  return hasEnded && isFinal(book, endOf(buy, flightClock), described);
}

async function reached(deps: StatementDependencies, buy: MediaBuy, reach: Reach): Promise<Recorded> {
  const { book, recorded, described } = reach;
  const now = toTimestamp(deps.flightClock.now(buy));
  const end = endOf(buy, deps.flightClock);
  const is_final = isAllFinal(deps, buy, reach);
  const { start_time: start } = buy;
  return {
    recorded_until: recorded,
    is_final,
    is_delayed: !is_final && isDelayed({ recorded_until: recorded, now, start, end }, described),
    is_spent: buy.status === 'active' && isAllBilled(buy, book) && (await isCompleted(deps, buy)),
  };
}

/** Whether the book has no impression left to bill, give or take one for rounding: then the ad server is asked. */
function isAllBilled(buy: MediaBuy, { lines }: DeliveryBook): boolean {
  return buy.packages.every((line) => {
    const rate_minor = line.bid_price_minor ?? line.price_minor ?? 0;
    const billed = lines[line.package_id]?.billed_minor ?? 0;
    if (line.pricing_model === 'flat-fee') return billed >= Math.min(rate_minor, line.budget_minor);
    return rate_minor > 0 && impressionsFor(Math.max(0, line.budget_minor - billed), rate_minor) <= 1;
  });
}

async function isCompleted({ adServer }: StatementDependencies, buy: MediaBuy): Promise<boolean> {
  const held = await adServer.read(buy.media_buy_id);
  return held.found && held.lines.length > 0 && held.lines.every(({ state }) => state === 'completed');
}
