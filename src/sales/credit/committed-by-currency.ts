import { MAX_MINOR } from '../../platform/money.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { committedOf } from './committed-totals.ts';

/** What a buyer's media buys that are not over come to, as far as they were read. */
export interface CommittedAmounts {
  /** By currency, in minor units. */
  amounts: Map<string, number>;
  /** Whether all of them were read; else there is more. */
  isAll: boolean;
}

/** Of so many of them at most: for a look at many buyers at once. A decision sums all, by {@link committedTotals}. */
export async function committedByCurrency(
  mediaBuys: Collection<MediaBuy>,
  organization_id: OrganizationId,
  most: number,
): Promise<CommittedAmounts> {
  const { rows, cursor, skipped } = await mediaBuys.find({
    where: { organization_id, open: true },
    sort: { field: 'buyer_ref', direction: 'asc' },
    limit: most,
  });
  const amounts = new Map<string, number>();
  for (const buy of rows) {
    const sum = (amounts.get(buy.currency) ?? 0) + committedOf(buy).total_minor;
    amounts.set(buy.currency, Math.min(MAX_MINOR, sum));
  }
  return { amounts, isAll: cursor === undefined && skipped === undefined };
}
