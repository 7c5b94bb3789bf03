import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { AdOrderRow } from './ad-order-row.ts';
import type { CourierDependencies } from './courier-dependencies.ts';

/** However often an ad server rings for an order, it is asked about it at most once in this time, in milliseconds. */
export const RINGS_ARE_ONE_MS = 5_000;

export type RingDependencies = Pick<CourierDependencies, 'mediaBuys' | 'adOrders' | 'clock'>;

/**
 * An ad server says that something has happened to an order: any worker reads it soon, and puts it again where the ad server
 * had yet to decide. What it says is no news itself. It is stored before this resolves, and may be repeated at will.
 * Answers false, and changes nothing, for a buy of which this ad server was never told.
 */
export async function ringForOrder(
  { mediaBuys, adOrders, clock }: RingDependencies,
  { ad_server_id, media_buy_id }: { ad_server_id: string; media_buy_id: MediaBuyId },
): Promise<boolean> {
  const [buy, row] = await Promise.all([mediaBuys.get(media_buy_id), adOrders.get(media_buy_id)]);
  if (buy === undefined) return false;
  const toldTo = row?.ad_server_id ?? openOrderOf(buy)?.ad_server_id;
  if (toldTo !== ad_server_id) return false;
  const rung = await adOrders.update(media_buy_id, (stored) => {
    const at = nextAnswerAt(stored, clock.now());
    const isLookLater = (stored.look_due_at ?? '') > at;
    if (!isLookLater && !isPutLater(buy, stored, at)) return undefined;
    return { ...stored, look_due_at: isLookLater ? at : stored.look_due_at, rung_at: at };
  });
  if (rung?.changed !== true) return true;
  const at = rung.row.rung_at ?? '';
  await mediaBuys.update(media_buy_id, (now) =>
    isPutLater(now, rung.row, at) ? { ...now, order_due_at: at } : undefined,
  );
  return true;
}

/** From when a ring may be answered: now, and never sooner after the last one than {@link RINGS_ARE_ONE_MS}. */
function nextAnswerAt({ rung_at }: AdOrderRow, nowMs: number): string {
  const earliestMs = rung_at == null ? nowMs : fromTimestamp(rung_at) + RINGS_ARE_ONE_MS;
  return toTimestamp(Math.max(nowMs, earliestMs));
}

/** Whether the ad server had yet to decide, and is to be asked again only after this instant. */
function isPutLater(buy: MediaBuy, { last_fault }: AdOrderRow, at: string): boolean {
  return last_fault?.kind === 'pending' && openOrderOf(buy) !== undefined && (buy.order_due_at ?? '') > at;
}

function openOrderOf({ stop, open_change }: MediaBuy) {
  return stop?.order ?? open_change?.order ?? undefined;
}
