import type { Collection } from '../../../platform/store/collection.ts';
import { assignedBy } from '../../../sales/creative/assigned-by.ts';
import { creativeRef } from '../../../sales/creative/creative-ref.ts';
import type { CreativeView } from '../../../sales/creative/creative-view.ts';
import type { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { usesTold } from './assignments-told.ts';
import type { AssignedDates, AssignmentsWanted } from './assignments-told.ts';

/** So many buys are read in one go, of each of which no more is kept than its dates. */
const BATCH = 250;

/** The dates of all packages of these creatives that are told. */
export async function assignedDates(
  { mediaBuys }: { mediaBuys: Collection<MediaBuy> },
  creatives: readonly CreativeView[],
  wanted: AssignmentsWanted,
): Promise<AssignedDates> {
  const uses = new Map<MediaBuyId, { package_id: string; creative: CreativeView }[]>();
  for (const creative of creatives) {
    for (const { media_buy_id, package_id } of usesTold(creative, wanted)) {
      const known = uses.get(media_buy_id);
      if (known === undefined) uses.set(media_buy_id, [{ package_id, creative }]);
      else known.push({ package_id, creative });
    }
  }
  const dates = new Map<string, string>();
  const ids = [...uses.keys()];
  for (let i = 0; i < ids.length; i += BATCH) {
    for (const buy of await mediaBuys.getMany(ids.slice(i, i + BATCH), { skipUnreadable: true })) {
      for (const { package_id, creative } of uses.get(buy.media_buy_id) ?? [])
        dates.set(keyOf(package_id, creative), assignedBy(buy, package_id, creative.creative_id));
    }
  }
  return (package_id, creative) => dates.get(keyOf(package_id, creative));
}

function keyOf(package_id: string, creative: CreativeView): string {
  return JSON.stringify([package_id, creativeRef(creative)]);
}
