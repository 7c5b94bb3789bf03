import type { MediaBuy, MediaBuyEvent } from '../media-buy/media-buy.ts';
import { maySayAssigned } from './assignment-note.ts';

/**
 * By when a package of a buy had a creative that it names, by the history: the last that may have brought it, which is the booking of the
 * package unless its creatives may have changed since. A change of packages does not say whether it was of their creatives, nor an
 * assignment of which package; so it may have been earlier, and never later. Pure.
 */
export function assignedBy(buy: MediaBuy, package_id: string, creative_id: string): string {
  const may = ({ action, note, new_packages, affected_packages }: MediaBuyEvent): boolean => {
    if (new_packages?.includes(package_id) === true) return true;
    if (action === 'creatives_assigned') return maySayAssigned(note ?? '', creative_id);
    const isOfPackages = action === 'updated' && note?.split(', ').includes('packages') === true;
    return isOfPackages && affected_packages?.includes(package_id) !== false;
  };
  return buy.history.findLast(may)?.at ?? buy.created_at;
}
