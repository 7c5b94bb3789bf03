import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { formatMoneyText } from '../../platform/money.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { Description } from '../ad-server/description.ts';
import type { Held } from '../ad-server/held.ts';
import type { Reason } from '../ad-server/put-answer.ts';
import { termsOf } from '../flight/terms-of.ts';
import { withTerms } from '../media-buy/apply-change.ts';
import { adVersionOf } from '../media-buy/holding.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { costByCounts } from '../statement/cost-by-counts.ts';
import type { DeliveryBook } from '../statement/delivery-book.ts';
import { awaitsCounts } from './budget-cut.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { refusedOpen } from './hear.ts';
import { noteFault } from './notes.ts';
import { withNextVersion } from './open.ts';
import { nextTryMs } from './patience.ts';
import { settled } from './settled.ts';
import { writeNext } from './write-next.ts';

const MINUTE_MS = 60_000;

/**
 * Decides on a cut whose packages stand still: once what they have come to is sure, the change goes to the ad server, or is
 * refused with the least budget that would be taken, and the packages resume. Until then, says when to count again.
 */
export async function countCut(deps: CourierDependencies, buy: MediaBuy, own: TaskId | undefined): Promise<void> {
  const { media_buy_id } = buy;
  const answer = await askCounts(deps, buy);
  if (answer === undefined) return;
  const book = await deps.books.get(media_buy_id);
  const counted = againstCuts(deps, buy, { ...answer, book });
  const isSame = ({ open_change, ...now }: MediaBuy) =>
    awaitsCounts({ ...now, open_change }) && open_change?.cut?.paused_at === buy.open_change?.cut?.paused_at;
  if (counted.outcome === 'unsure') {
    const order_due_at = toTimestamp(Math.max(counted.askAgainMs, deps.clock.now() + 1_000));
    await deps.mediaBuys.update(media_buy_id, (now) => (isSame(now) ? { ...now, order_due_at } : undefined));
    return;
  }
  const { reasons } = counted;
  const current = await deps.mediaBuys.get(media_buy_id);
  if (current === undefined) return;
  const written = await writeNext(deps, current, {
    own,
    next: (now, look) => {
      if (!isSame(now)) return undefined;
      const changed = reasons.length > 0 ? refusedOpen(now, reasons, look) : withNextVersion(now, look);
      return settled(changed, look) ?? changed;
    },
  });
  if (written !== undefined) {
    const outcome = reasons.length > 0 ? 'refused' : 'cut';
    deps.log.info({ media_buy_id, outcome }, 'a smaller budget was held against what its packages have come to');
  }
}

type Counts = { held: Held; description: Description };

/** What the ad server counts now; undefined when it gives no answer, which is noted. */
async function askCounts(deps: CourierDependencies, buy: MediaBuy): Promise<Counts | undefined> {
  const { adServer, ad_server_id, breaker, clock, chance, describer } = deps;
  const { media_buy_id } = buy;
  try {
    const description = await describer.describe(() => adServer.describe());
    const held = await adServer.read(media_buy_id);
    await breaker.answered();
    return { held, description };
  } catch (error) {
    await breaker.failed(error);
    const faults = await noteFault(deps, { media_buy_id, ad_server_id, version: adVersionOf(buy) }, error);
    const order_due_at = toTimestamp(nextTryMs(error, faults, clock.now(), chance()));
    await deps.mediaBuys.update(media_buy_id, (now) => (awaitsCounts(now) ? { ...now, order_due_at } : undefined));
    return undefined;
  }
}

type Counted = { outcome: 'unsure'; askAgainMs: number } | { outcome: 'sure'; reasons: Reason[] };

/** Why the budgets that are wanted are too low; or, while that is not sure, when to ask again. Pure. */
function againstCuts(
  { flightClock, clock }: Pick<CourierDependencies, 'flightClock' | 'clock'>,
  buy: MediaBuy,
  { held, description, book }: Counts & { book: DeliveryBook | undefined },
): Counted {
  const { change, cut } = buy.open_change ?? {};
  if (change === undefined || cut?.paused_at == null) return { outcome: 'sure', reasons: [] };
  // It decides by itself after all.
  if (description.budget_cut === 'exact') return { outcome: 'sure', reasons: [] };
  const stillMs = flightClock.at(buy, fromTimestamp(cut.paused_at));
  const sureMs = stillMs + description.statements.delay_minutes * MINUTE_MS;
  const isBooked = book?.complete_until != null && fromTimestamp(book.complete_until) >= stillMs;
  const flightMs = flightClock.at(buy, clock.now());
  const terms = new Map(termsOf(buy, flightClock, flightMs, '').lines.map((line) => [line.package_id, line]));
  const reasons: Reason[] = [];
  for (const [i, { package_id, budget_minor }] of withTerms(buy, change).packages.entries()) {
    const line = terms.get(package_id);
    if (line === undefined || !cut.package_ids.includes(package_id)) continue;
    const state = held.found ? held.lines.find((one) => one.package_id === package_id) : undefined;
    const asOfMs = state === undefined ? Infinity : fromTimestamp(state.as_of);
    const isSure = isBooked || !held.found || (state?.counts !== undefined && asOfMs >= sureMs);
    if (!isSure) {
      const waitMs = Math.max(MINUTE_MS, Number.isFinite(asOfMs) ? sureMs - asOfMs : 0);
      return { outcome: 'unsure', askAgainMs: flightClock.wallAt(buy, flightMs + waitMs) };
    }
    const least_minor = Math.min(costByCounts(line, book, state?.counts), line.budget_minor);
    if (budget_minor >= least_minor) continue;
    const message = `${formatMoneyText(least_minor, buy.currency)} ${buy.currency} is spent already`;
    const pointer = `/lines/${i}/budget_minor`;
    reasons.push({ code: 'budget_below_spend', pointer, message, package_id, least_minor });
  }
  return { outcome: 'sure', reasons };
}
