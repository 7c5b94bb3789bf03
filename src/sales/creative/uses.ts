import { z } from 'zod';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { isSeenUnder } from '../account/account.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { MediaBuyStatus } from '../media-buy/media-buy.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { LibraryOwner } from './creative-library.ts';

/** A package that names a creative. */
export const CreativeUse = z.object({
  media_buy_id: MediaBuyId,
  package_id: z.string(),
  media_buy_status: MediaBuyStatus,
});
export type CreativeUse = z.infer<typeof CreativeUse>;

/**
 * Where each creative is used, among buys that are not over, by its name (`creativeRef`). One that is not used has no entry. Under an
 * account, among the buys that are seen there: its own, and those of no account.
 * @param onSkipped Hears of buys that cannot be read, which may use any of them.
 */
export async function creativeUses(
  mediaBuys: Collection<MediaBuy>,
  { organization_id, account_id }: LibraryOwner,
  onSkipped?: (media_buy_ids: readonly string[]) => void,
): Promise<ReadonlyMap<string, CreativeUse[]>> {
  const uses = new Map<string, CreativeUse[]>();
  const sort = { field: 'buyer_ref', direction: 'asc' } as const;
  const walk = { where: { organization_id, open: true }, sort, ...(onSkipped && { onSkipped }) };
  for await (const { media_buy_id, status, packages, ...buy } of allRows(mediaBuys, walk)) {
    if (!isSeenUnder(account_id, buy)) continue;
    for (const { package_id, creative_ids } of packages) {
      for (const ref of new Set(creative_ids)) {
        const use = { media_buy_id, package_id, media_buy_status: status };
        uses.set(ref, [...(uses.get(ref) ?? []), use]);
      }
    }
  }
  return uses;
}
