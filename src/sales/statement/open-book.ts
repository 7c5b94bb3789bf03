import { fromTimestamp } from '../../platform/clock.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { readDelivery } from '../delivery/read-delivery.ts';
import type { Fact } from '../delivery/read-delivery.ts';
import { writeHours } from '../delivery/write-hours.ts';
import type { BuyTerms, LineTerms } from './buy-terms.ts';
import { BLANK_LINE } from './delivery-book.ts';
import type { BookedFacts, DeliveryBook, LineBook } from './delivery-book.ts';
import { priceIn, unitsOf } from './prices.ts';
import { firstHour } from './reach.ts';

/**
 * A buy's book, to be opened *before* its statement is asked for: a statement that was asked for before another one was
 * recorded is older, and not recorded any more. Finishes what a process that died has left undone. A buy that had none, since
 * its delivery was reported to 0.1.0's port, gets one by its facts.
 */
export async function openBook(facts: BookedFacts, terms: BuyTerms): Promise<DeliveryBook> {
  const { media_buy_id } = terms;
  for (;;) {
    const book = await facts.books.get(media_buy_id);
    if (book !== undefined) {
      await writeNewest(facts, media_buy_id, book);
      return book;
    }
    await facts.books.insert(await firstBook(facts, terms));
  }
}

/** Puts the newest changes of a book into the facts. Safe to repeat, also when newer ones have been made since. */
export async function writeNewest(
  facts: BookedFacts,
  media_buy_id: MediaBuyId,
  { newest }: Pick<DeliveryBook, 'newest'>,
): Promise<void> {
  if (newest !== null) await writeHours(facts, media_buy_id, newest.changes, newest.recorded_at);
}

async function firstBook(facts: BookedFacts, terms: BuyTerms): Promise<DeliveryBook> {
  const { media_buy_id, recorded_until } = terms;
  const fromMs = fromTimestamp(firstHour(terms));
  const untilMs = recorded_until === undefined ? fromMs : fromTimestamp(recorded_until);
  const known = await readDelivery(facts, media_buy_id, { fromMs, untilMs }, 'hour');
  const lines = terms.lines.flatMap((line): [string, LineBook][] => {
    const its = known.filter(({ package_id }) => package_id === line.package_id);
    return its.length === 0 ? [] : [[line.package_id, lineOfFacts(line, its)]];
  });
  return {
    ...{ media_buy_id, complete_until: recorded_until ?? null, final_until: null },
    ...{ lines: Object.fromEntries(lines), newest: null, revision: 1 },
  };
}

function lineOfFacts(line: LineTerms, facts: readonly Fact[]): LineBook {
  const book = { ...BLANK_LINE, periods: { ...BLANK_LINE.periods } };
  for (const { fromMs, impressions, clicks, spend_minor } of facts) {
    const { period } = priceIn(line.prices, fromMs);
    const units = unitsOf(line.model, { impressions, clicks, viewable: 0, completions: 0 });
    book.impressions += impressions;
    book.clicks += clicks;
    book.billed_minor += spend_minor;
    book.periods[period] = { units: (book.periods[period]?.units ?? 0) + units, owed_minor: 0 };
  }
  return book;
}
