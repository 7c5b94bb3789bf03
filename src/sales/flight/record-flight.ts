import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { ceilHour, DAY_MS, floorHour, HOUR_MS } from '../../platform/hours.ts';
import { formatMoney, sumMinor } from '../../platform/money.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import type { Logger } from '../../platform/log.ts';
import { impressionsFor } from '../../platform/money.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import type { Description } from '../ad-server/description.ts';
import type { Statement } from '../ad-server/statement.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import type { OpenedBuy } from '../statement/asked-buy.ts';
import { overDeliveryOf } from '../statement/delivery-book.ts';
import type { BookedFacts, DeliveryBook } from '../statement/delivery-book.ts';
import { openBook } from '../statement/open-book.ts';
import { askFrom, firstHour, isDelayed, isFinal, recordedUntil } from '../statement/reach.ts';
import { recordStatement } from '../statement/record-statement.ts';
import type { ReportQuota } from '../statement/report-quota.ts';
import type { StatementProblem } from '../statement/statement-problems.ts';
import type { FlightClock } from './flight-clock.ts';
import { hasFallenSilent } from './silence.ts';
import { overAtMs, termsOf } from './terms-of.ts';

/** The ad server is asked for at most this much at a time. */
const MAX_RANGE_MS = 31 * DAY_MS;

export interface StatementDependencies {
  adServer: Pick<AdServer, 'statements' | 'read'>;
  /** As the ad server last described itself. */
  describe: () => Promise<Description>;
  reports: ReportQuota;
  facts: BookedFacts;
  flightClock: FlightClock;
  clock: Clock;
  log: Logger;
  counters: Counters;
  /** A line that should deliver has stopped to: somebody may have done that at the ad server. */
  onSilence: (media_buy_id: MediaBuyId) => Promise<void>;
}

/** A flight whose delivery is to be recorded until now. */
export interface FlightToRecord {
  buy: MediaBuy;
  recorded_until: string;
  asked_at?: string | undefined;
  /** Where it stands, in milliseconds. */
  flightMs: number;
}

/** How far the delivery of a buy is known. */
export interface Recorded {
  /** Every hour before it is recorded; a timestamp. */
  recorded_until: string;
  /** When in the flight the ad server was last asked; undefined: never. */
  asked_at: string | undefined;
  /** What should be in by now is not. */
  is_delayed: boolean;
  /** No line can spend any more, whatever time is left. */
  is_spent: boolean;
  /** Nothing will ever be added or stated otherwise. */
  is_final: boolean;
  /** The ad server may not be asked before this instant of the wall clock, in milliseconds. */
  askAgainMs?: number;
}

/** What the ad server is to be asked of a flight; with its book as it was opened before. */
export interface Wanted extends OpenedBuy {
  flight: FlightToRecord;
  /** Every hour before it is recorded. */
  recorded: string;
  query: { from: string; until: string };
}

/**
 * What of a flight to ask the ad server for; or how far it is known where there is nothing to ask: within an hour of the flight
 * one that goes on is asked for once.
 */
export async function wantedOf(
  deps: StatementDependencies,
  flight: FlightToRecord,
  described: Description['statements'],
): Promise<Wanted | Recorded> {
  const { buy, flightMs, recorded_until, asked_at } = flight;
  const isOver = isTerminalBuy(buy.status);
  const terms = termsOf(buy, deps.flightClock, flightMs, recorded_until);
  const untilMs = isOver ? ceilHour(flightMs) : floorHour(flightMs);
  const book = await openBook(deps.facts, terms);
  const { offset_minutes, restates_hours } = described;
  const recorded = book.complete_until === null ? firstHour(terms) : recordedUntil(book.complete_until, offset_minutes);
  const range = { first: firstHour(terms), final_until: book.final_until ?? undefined };
  const from = askFrom(recorded, restates_hours, range);
  const nextMs = fromTimestamp(from) + HOUR_MS;
  // Of a buy that is over, the ad server is asked until it says that all is final, also when no hour has gone by.
  const lastMs = isOver ? Math.max(untilMs, nextMs) : untilMs;
  const upToMs = Math.min(lastMs, fromTimestamp(recorded) + MAX_RANGE_MS);
  const statedHour = (ms: number) => floorHour(ms - described.delay_minutes * 60_000);
  const isAsked = !isOver && asked_at !== undefined && statedHour(fromTimestamp(asked_at)) >= statedHour(flightMs);
  const reach = { book, recorded, described, asked_at };
  if (isAsked || upToMs <= fromTimestamp(from) || isAllFinal(deps, buy, reach)) return reached(deps, buy, reach);
  return { flight, terms, book, recorded, query: { from, until: toTimestamp(upToMs) } };
}

/** Records its part of a statement; undefined when there is more to ask. Repeatable. */
export async function recordWanted(
  deps: StatementDependencies,
  { flight, terms, book, recorded, query }: Wanted,
  statement: Statement,
  described: Description['statements'],
): Promise<Recorded | undefined> {
  const { buy, flightMs } = flight;
  const { media_buy_id } = buy;
  const rows = statement.rows.filter((row) => row.media_buy_id === media_buy_id);
  const asked_at = toTimestamp(flightMs);
  const done = await recordStatement(deps.facts, {
    ...{ query, described, buys: [{ terms, book }], recorded_at: toTimestamp(deps.clock.now()) },
    statement: { ...statement, rows },
  });
  if (done.outcome === 'quarantined') {
    // Taken, and not heard of yet: all is recorded once it is.
    const isOnItsWay = done.problems.every((problem) => isBeingAdded(buy, problem));
    if (!isOnItsWay)
      deps.log.error(
        { media_buy_id, problems: done.problems },
        'a statement of the ad server cannot be true: nothing of it is recorded',
      );
    return { recorded_until: recorded, asked_at, is_delayed: true, is_spent: false, is_final: false };
  }
  const its = done.buys.get(media_buy_id);
  if (its === undefined || its.isStale) return undefined;
  const { complete_until } = its.book;
  const until = complete_until === null ? recorded : recordedUntil(complete_until, described.offset_minutes);
  tellOverDelivery(deps, buy, book, its.book);
  countDelivered(deps, buy, book, its.book);
  if (until > recorded && hasFallenSilent(buy, its.book, rows, until)) await deps.onSilence(media_buy_id);
  const untilMs = isTerminalBuy(buy.status) ? ceilHour(flightMs) : floorHour(flightMs);
  if (until > recorded && fromTimestamp(until) < untilMs) return undefined;
  return reached(deps, buy, { book: its.book, recorded: until, described, asked_at });
}

/** Whether all that is wrong with a row is that its package is being added. */
function isBeingAdded({ open_change }: MediaBuy, { lie, package_id }: StatementProblem): boolean {
  const { new_packages = [] } = open_change?.change ?? {};
  return lie === 'unknown_package' && new_packages.some((line) => line.package_id === package_id);
}

/** What a lagging ad server served beyond a budget is nobody's to pay: the operator is told when it becomes more. */
function tellOverDelivery(
  { log }: StatementDependencies,
  { media_buy_id, currency, packages }: MediaBuy,
  before: DeliveryBook,
  after: DeliveryBook,
): void {
  for (const { package_id } of packages) {
    const { impressions, spend_minor } = overDeliveryOf(after, package_id);
    if (spend_minor <= overDeliveryOf(before, package_id).spend_minor) continue;
    const over_delivery = { impressions, spend_minor, currency };
    log.warn(
      { media_buy_id, package_id, over_delivery },
      'more was delivered than the budget pays for: it is not billed',
    );
  }
}

/** What a statement has added to the bill; what it takes back, as a correction may, is taken off nothing. */
function countDelivered(
  { counters }: StatementDependencies,
  { currency }: MediaBuy,
  before: DeliveryBook,
  after: DeliveryBook,
): void {
  const delivered = billedIn(after) - billedIn(before);
  if (delivered > 0) counters.add('delivered_total', { currency }, formatMoney(delivered, currency));
}

function billedIn({ lines }: DeliveryBook): number {
  return sumMinor(Object.values(lines).map(({ billed_minor }) => billed_minor));
}

interface Reach {
  book: DeliveryBook;
  recorded: string;
  described: Description['statements'];
  asked_at: string | undefined;
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
  const { book, recorded, described, asked_at } = reach;
  const now = toTimestamp(deps.flightClock.now(buy));
  const end = endOf(buy, deps.flightClock);
  const is_final = isAllFinal(deps, buy, reach);
  const { start_time: start } = buy;
  return {
    recorded_until: recorded,
    asked_at,
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
