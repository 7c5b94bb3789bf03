import type { OrganizationId } from '../../platform/organization-id.ts';
import { startSlices } from '../../platform/in-slices.ts';
import { allPages } from '../../platform/store/all-rows.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { withTerms } from '../media-buy/apply-change.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';

/** What of a media buy counts. */
export interface CommittedTotal {
  total_minor: number;
  row_version: number;
}

/** Why a sum is not known: a media buy that counts cannot be read, or there are more than whoever asks would wait for. */
export type WhyUncounted = 'unreadable' | 'too_many';

/** Not all that is committed was read, so that the sum is not known. */
export class UncountedBuysError extends Error {
  readonly why: WhyUncounted;
  constructor(why: WhyUncounted, which: string) {
    super(`what is committed cannot be summed: ${which}`);
    this.name = 'UncountedBuysError';
    this.why = why;
  }
}

/** Few enough that nobody else waits while they are read. */
const ROWS_AT_ONCE = 50;

/**
 * What a buyer's media buys that are not over come to in a currency, each by its id. Their order is that of a field that never changes, so
 * that none is missed.
 * @param upTo how many are read at most; default: all.
 * @throws {UncountedBuysError} where one of them cannot be read, or there are more: what those come to is not taken for nothing.
 */
export async function committedTotals(
  mediaBuys: Collection<MediaBuy>,
  organization_id: OrganizationId,
  currency: string,
  upTo = Infinity,
): Promise<Map<MediaBuyId, CommittedTotal>> {
  const totals = new Map<MediaBuyId, CommittedTotal>();
  const onSkipped = (keys: readonly string[]) => {
    throw new UncountedBuysError('unreadable', `media buys that cannot be read: ${keys.join(', ')}`);
  };
  const open = { organization_id, open: true };
  const sort = { field: 'buyer_ref', direction: 'asc' } as const;
  let seen = 0;
  // An embedded store answers each page at once: without a pause all of them would be one turn of the loop.
  const slices = startSlices();
  for await (const buys of allPages(mediaBuys, { where: open, sort, limit: ROWS_AT_ONCE, onSkipped })) {
    seen += buys.length;
    if (seen > upTo) throw new UncountedBuysError('too_many', `more than ${upTo} media buys are not over`);
    for (const buy of buys) {
      if (buy.currency === currency) totals.set(buy.media_buy_id, committedOf(buy));
    }
    if (slices.isOver()) await slices.next();
  }
  return totals;
}

/** The larger of what it comes to and what a change on its way would make of it; nothing once it is over. Pure. */
export function committedOf(buy: MediaBuy): CommittedTotal {
  const { open, total_budget_minor, open_change, row_version } = buy;
  const change = open_change?.change;
  const changed = change === undefined ? 0 : withTerms(buy, change).total_budget_minor;
  return { total_minor: open ? Math.max(total_budget_minor, changed) : 0, row_version };
}
