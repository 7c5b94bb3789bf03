import { fromTimestamp, toTimestamp } from '../../../../src/platform/clock.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import { HOUR_MS } from '../../../../src/platform/hours.ts';
import type { Store } from '../../../../src/platform/store/collection.ts';
import type { Statement, StatementRow } from '../../../../src/sales/ad-server/statement.ts';
import { DeliveryDays, DeliveryMonths } from '../../../../src/sales/delivery/delivery-facts.ts';
import { readCorrections, readDelivery } from '../../../../src/sales/delivery/read-delivery.ts';
import type { AnsweredStatement } from '../../../../src/sales/statement/asked-buy.ts';
import type { BuyTerms, LineTerms } from '../../../../src/sales/statement/buy-terms.ts';
import { DeliveryBooks } from '../../../../src/sales/statement/delivery-book.ts';
import type { BookedFacts } from '../../../../src/sales/statement/delivery-book.ts';
import { openBook } from '../../../../src/sales/statement/open-book.ts';
import { recordStatement } from '../../../../src/sales/statement/record-statement.ts';
import type { RecordedBuy, RecordedStatement } from '../../../../src/sales/statement/record-statement.ts';
import { installation, testClock } from '../../../directory/support/installation.ts';
import { mediaBuyId } from '../../../support/ids.ts';

/** Where flights begin here. */
export const START = '2026-04-01T00:00:00.000Z';
const ALL = { fromMs: 0, untilMs: Date.parse('2028-01-01') };

/** So many hours after {@link START}. */
export function hourAt(hours: number): string {
  return toTimestamp(fromTimestamp(START) + hours * HOUR_MS);
}

/** A line at 6.50 a thousand, for ten days. */
export function lineTerms(changes: Partial<LineTerms> = {}): LineTerms {
  return {
    package_id: 'pkg_1',
    model: 'cpm',
    prices: [{ from: START, rate_minor: 650 }],
    budget_minor: 1_000_000,
    start: START,
    end: hourAt(240),
    ...changes,
  };
}

export function buyTerms(changes: Partial<BuyTerms> = {}): BuyTerms {
  return { media_buy_id: mediaBuyId('mb_1'), created_at: START, now: hourAt(240), lines: [lineTerms()], ...changes };
}

/** What an hour of `pkg_1` came to, by its number. */
export function statedRow(
  hour: number,
  impressions: number,
  { clicks = 0, ...more }: Partial<StatementRow> & { clicks?: number } = {},
): StatementRow {
  return { media_buy_id: 'mb_1', package_id: 'pkg_1', hour: hourAt(hour), counts: { impressions, clicks }, ...more };
}

export interface Look {
  from: number;
  /** How far the statement is complete, in hours; everything up to there was asked for. */
  until: number;
  rows: readonly StatementRow[];
  described?: Partial<AnsweredStatement['described']>;
  statement?: Partial<Statement>;
  recorded_at?: string;
}

/** The real facts and book on a store of their own. */
export interface OpenFacts {
  store: Store;
  facts: BookedFacts;
  /** Opens the book, and records a statement as if it had been asked for then. */
  look(terms: BuyTerms, look: Look, facts?: BookedFacts): Promise<RecordedStatement>;
  /** The same of a sound statement. */
  record(terms: BuyTerms, look: Look, facts?: BookedFacts): Promise<RecordedBuy>;
  /** What the facts have, by package and hour, as `impressions/spend/clicks`. */
  hours(terms?: BuyTerms): Promise<Record<string, string>>;
  corrections(terms?: BuyTerms): ReturnType<typeof readCorrections>;
  close(): Promise<void>;
}

export function bookedFacts(store: Store, clock: Clock = testClock()): BookedFacts {
  return {
    clock,
    days: store.collection(DeliveryDays),
    months: store.collection(DeliveryMonths),
    books: store.collection(DeliveryBooks),
  };
}

export async function openFacts(kind: Store['kind'] = 'sqlite'): Promise<OpenFacts> {
  const place = await installation([DeliveryDays, DeliveryMonths, DeliveryBooks], kind);
  const facts = bookedFacts(place.store, place.clock);
  const look: OpenFacts['look'] = async (terms, asked, over = facts) => {
    const book = await openBook(over, terms);
    return recordStatement(over, statementOf([{ terms, book }], asked));
  };
  return {
    store: place.store,
    facts,
    look,
    async record(terms, asked, over) {
      const answer = await look(terms, asked, over);
      if (answer.outcome === 'quarantined') throw new Error(JSON.stringify(answer.problems));
      const recorded = answer.buys.get(terms.media_buy_id);
      if (recorded === undefined) throw new Error(`nothing about ${terms.media_buy_id}`);
      return recorded;
    },
    async hours(terms = buyTerms()) {
      const found = await readDelivery(facts, terms.media_buy_id, ALL, 'hour');
      return Object.fromEntries(
        found.map(({ package_id, fromMs, impressions, spend_minor, clicks }) => {
          const hour = (fromMs - fromTimestamp(START)) / HOUR_MS;
          return [`${package_id}/${hour}`, `${impressions}/${spend_minor}/${clicks}`];
        }),
      );
    },
    corrections: (terms = buyTerms()) => readCorrections(facts, terms.media_buy_id, ALL),
    close: () => place.close(),
  };
}

/** What is to be recorded of a look at some opened books. */
export function statementOf(
  buys: Parameters<typeof recordStatement>[1]['buys'],
  { from, until, rows, described = {}, statement = {}, recorded_at = hourAt(until) }: Look,
): Parameters<typeof recordStatement>[1] {
  return {
    buys,
    query: { from: hourAt(from), until: hourAt(until) },
    statement: { complete_until: hourAt(until), rows: [...rows], ...statement },
    described: { offset_minutes: 0, spend: 'computed', ...described },
    recorded_at,
  };
}
