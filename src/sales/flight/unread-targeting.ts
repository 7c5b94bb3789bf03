import type { Logger } from '../../platform/log.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { readStoredOverlay } from '../targeting/stored-overlay.ts';

interface UnreadDependencies {
  log: Logger;
  /** Buys whose unread targeting has been logged. */
  unreadTold: Set<MediaBuyId>;
}

/** Names a buy of 0.1.0 whose targeting is told to no ad server for not being understood; once in a process. */
export function logUnread({ log, unreadTold }: UnreadDependencies, { media_buy_id, packages }: MediaBuy): void {
  if (unreadTold.has(media_buy_id)) return;
  const unchecked = packages.filter(({ offered_targeting }) => offered_targeting === undefined);
  const fields = unchecked.flatMap(({ package_id, targeting_overlay }) =>
    readStoredOverlay(targeting_overlay ?? {}).unread.map((axis) => `${package_id}.targeting_overlay.${axis}`),
  );
  if (fields.length === 0) return;
  unreadTold.add(media_buy_id);
  log.warn({ media_buy_id, fields }, 'targeting that is not understood is told to no ad server');
}
