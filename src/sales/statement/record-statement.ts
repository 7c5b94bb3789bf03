import { isDeepStrictEqual } from 'node:util';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { StatementRow } from '../ad-server/statement.ts';
import type { DeliveryDay } from '../delivery/delivery-facts.ts';
import { dayKey } from '../delivery/delivery-facts.ts';
import { windowOf } from './asked-buy.ts';
import type { AnsweredStatement, AskedBuy, OpenedBuy } from './asked-buy.ts';
import type { BookedFacts, DeliveryBook } from './delivery-book.ts';
import { writeNewest } from './open-book.ts';
import { dayName, planDay } from './plan-day.ts';
import { finalUntil, firstHour, recordedUntil } from './reach.ts';
import { hourOf, statedHours } from './stated-hours.ts';
import { statementProblems } from './statement-problems.ts';
import type { StatementProblem } from './statement-problems.ts';
import { daysOf, isCovered } from './window.ts';
import type { Window } from './window.ts';

export interface StatementToRecord extends AnsweredStatement {
  /** All that were asked for, each with the book that was opened before. */
  buys: readonly OpenedBuy[];
  /** When, for corrections; a timestamp of the wall clock. */
  recorded_at: string;
}

/** What became of one buy's part. */
export interface RecordedBuy {
  /** As it is now. */
  book: DeliveryBook;
  /** A newer statement was recorded since this one was asked for; what remained of this one was not. */
  isStale: boolean;
  /** How many hours came in, and how many corrections were made. */
  hours: number;
  corrections: number;
  /** Not recorded: outside of what was asked for, or of an hour that is not complete. They come again. */
  ignored: StatementRow[];
}

export type RecordedStatement =
  | { outcome: 'recorded'; buys: ReadonlyMap<string, RecordedBuy> }
  /** The statement cannot be true: nothing of it was recorded. */
  | { outcome: 'quarantined'; problems: StatementProblem[] };

/**
 * Records a statement in the book: an hour that is new, an hour that is stated otherwise than before as a correction, and
 * nothing where it says the same. An hour that it covers and does not name is stated as zero. Safe to repeat and to be
 * killed anywhere: what was decided is done when the book is opened again.
 * @throws {RangeError} when hours between the book's end and the range were not asked for.
 */
export async function recordStatement(facts: BookedFacts, given: StatementToRecord): Promise<RecordedStatement> {
  for (const { terms, book } of given.buys) {
    const { complete_until, media_buy_id } = book;
    const known = complete_until && recordedUntil(complete_until, given.described.offset_minutes);
    if (given.query.from > (known ?? firstHour(terms))) throw new RangeError(`a gap in the book of ${media_buy_id}`);
  }
  const asked = await withDays(facts, given);
  const problems = statementProblems(given, asked);
  if (problems.length > 0) return { outcome: 'quarantined', problems };
  const buys = new Map<string, RecordedBuy>();
  for (const buy of asked) buys.set(buy.terms.media_buy_id, await recordBuy(facts, given, buy));
  return { outcome: 'recorded', buys };
}

async function withDays(facts: BookedFacts, given: StatementToRecord): Promise<AskedBuy[]> {
  const keys = given.buys.flatMap(({ terms: { media_buy_id } }) => {
    const window = windowOf(given, media_buy_id);
    return window === undefined ? [] : daysOf(window).map((dayMs) => dayKey(media_buy_id, dayName(dayMs)));
  });
  const rows = keys.length === 0 ? [] : await facts.days.getMany(keys);
  // A book is written before its days are: one that is unchanged by now has the days that were read.
  const books = await facts.books.getMany(given.buys.map(({ book }) => book.media_buy_id));
  const revisions = new Map(books.map(({ media_buy_id, revision }) => [media_buy_id, revision]));
  return given.buys.map(({ terms, book }) => {
    const its = rows.filter(({ media_buy_id }) => media_buy_id === book.media_buy_id);
    const days = new Map(its.map((row): [string, DeliveryDay] => [row.day, row]));
    return { terms, book, days, isStale: revisions.get(book.media_buy_id) !== book.revision };
  });
}

/** Day by day: each is decided in one write of the book, and then put into the facts. */
async function recordBuy(facts: BookedFacts, given: StatementToRecord, buy: AskedBuy): Promise<RecordedBuy> {
  const { terms, days } = buy;
  const { media_buy_id } = terms;
  const rows = given.statement.rows.filter((row) => row.media_buy_id === media_buy_id);
  const window = windowOf(given, media_buy_id);
  const done: RecordedBuy = { book: buy.book, isStale: false, hours: 0, corrections: 0, ignored: rows };
  if (buy.isStale) return { ...done, isStale: true };
  if (window === undefined) return done;
  done.ignored = rows.filter((row) => !isCovered(window, hourOf(row)));
  const stated = statedHours(rows);
  const dayList = daysOf(window);
  const { spend } = given.described;
  const newestMs = Math.max(...dayList.filter((dayMs) => days.has(dayName(dayMs)) || isStatedOn(stated, dayMs)));
  for (const dayMs of dayList) {
    const before = done.book;
    const day = days.get(dayName(dayMs));
    const isNewest = dayMs === newestMs;
    const planned = planDay({ terms, book: before, dayMs, day, stated, window, spend, isNewest });
    const isLast = dayMs === dayList.at(-1);
    const isSame = planned.changes.length === 0 && isDeepStrictEqual(planned.lines, before.lines);
    if (isSame && !isLast) continue;
    const next = nextBook(given, before, planned, isLast ? window : upToDay(window, dayMs));
    if (isDeepStrictEqual(next, before)) continue;
    const book = await facts.books.replace(next);
    if (book === undefined) return { ...done, isStale: true };
    done.book = book;
    if (planned.changes.length > 0) await writeNewest(facts, media_buy_id, book);
    const corrections = planned.changes.filter(({ correction_id }) => correction_id !== undefined).length;
    done.corrections += corrections;
    done.hours += planned.changes.length - corrections;
  }
  return withFinal(facts, given, done);
}

/** What is final can be news where no hour is: of a buy that was over before its first hour was. */
async function withFinal(
  facts: BookedFacts,
  { statement }: StatementToRecord,
  done: RecordedBuy,
): Promise<RecordedBuy> {
  const { book } = done;
  const said = finalUntil(statement, book.media_buy_id) ?? null;
  const known =
    said !== null && book.complete_until !== null && said > book.complete_until ? book.complete_until : said;
  const final_until = latest(book.final_until, known);
  if (final_until === book.final_until) return done;
  const written = await facts.books.replace({ ...book, final_until });
  return written === undefined ? { ...done, isStale: true } : { ...done, book: written };
}

function isStatedOn(stated: ReturnType<typeof statedHours>, dayMs: number): boolean {
  return [...stated.values()].some((hours) => [...hours.keys()].some((ms) => ms >= dayMs && ms < dayMs + DAY_MS));
}

/** The window up to the end of a day. */
function upToDay(window: Window, dayMs: number): Window {
  return { ...window, completeMs: Math.min(window.completeMs, dayMs + DAY_MS + window.offsetMs) };
}

/** The book after a day. */
function nextBook(
  { statement, recorded_at }: StatementToRecord,
  book: DeliveryBook,
  { lines, changes }: ReturnType<typeof planDay>,
  { completeMs }: Window,
): DeliveryBook {
  const complete_until = toTimestamp(completeMs);
  const final_until = finalUntil(statement, book.media_buy_id) ?? null;
  // What is not complete yet may be called final, and is not.
  const finalNow = final_until !== null && final_until > complete_until ? complete_until : final_until;
  return {
    ...book,
    lines,
    complete_until: latest(book.complete_until, complete_until),
    final_until: latest(book.final_until, finalNow),
    newest: changes.length > 0 ? { recorded_at, changes } : book.newest,
  };
}

function latest(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}
