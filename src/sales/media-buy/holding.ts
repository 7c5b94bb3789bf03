import type { MediaBuy } from './media-buy.ts';
import { isTerminalBuy } from './transitions.ts';
import type { Holding } from './open-change.ts';

/** The last version given out for a buy. 0.1.0 told the ad server the buy's revision. */
export function adVersionOf({ ad_version, row_version }: Pick<MediaBuy, 'ad_version' | 'row_version'>): number {
  return ad_version ?? row_version;
}

/** What the ad server was last heard to hold of a buy; null before it has taken the first version. */
export function holdingOf(
  buy: Pick<MediaBuy, 'ad_version' | 'held' | 'row_version' | 'status' | 'pending_reason'>,
): Holding | null {
  if (buy.ad_version !== undefined) return buy.held ?? null;
  return { version: buy.row_version, digest: null, state: firstState(buy) };
}

/** As 0.1.0 had told it; whether it had told an end, is not known. */
function firstState({ status, pending_reason }: Pick<MediaBuy, 'status' | 'pending_reason'>): Holding['state'] {
  if (status === 'paused' || isTerminalBuy(status)) return 'paused';
  return status === 'active' || pending_reason === 'start_time' ? 'running' : 'held';
}
