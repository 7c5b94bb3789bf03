import { CreativeStatus } from '../../sales/creative/creative.ts';
import type { MediaBuy, MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import { isPausedWhileWaiting, isToRun } from '../../sales/media-buy/to-run.ts';
import type { Release } from './release.ts';

/** States of a media buy in the public protocol. */
export type PublicBuyStatus =
  'pending_creatives' | 'pending_start' | 'active' | 'paused' | 'completed' | 'rejected' | 'canceled';

interface Standing extends Pick<MediaBuy, 'status' | 'pending_reason' | 'resumes'> {
  packages: readonly { creative_ids: readonly string[] }[];
}

/**
 * How a buy stands in public words: it waits for creatives until every package names one that is not rejected, and for its start
 * from then on, whether or not they are approved yet. A pause before the start does not show, nor that it was taken back. Pure.
 */
export function publicBuyStatus(buy: Standing, isRefused: (ref: string) => boolean): PublicBuyStatus {
  const { status, packages } = buy;
  if (status !== 'pending' && !isToRun(buy) && !isPausedWhileWaiting(buy)) return status;
  const isSupplied = packages.every(({ creative_ids }) => creative_ids.some((ref) => !isRefused(ref)));
  return isSupplied ? 'pending_start' : 'pending_creatives';
}

/** The states of ours in which a buy may stand so. Pure. */
export function ourStatuses(statuses: readonly PublicBuyStatus[]): MediaBuyStatus[] {
  return [
    ...new Set(
      statuses.flatMap((status): MediaBuyStatus[] =>
        status === 'pending_creatives' || status === 'pending_start' ? ['pending', 'paused'] : [status],
      ),
    ),
  ];
}

/** Whether a state of ours is the public one whatever else is true of the buy. See {@link publicBuyStatus}. Pure. */
export function isToldBySelf(status: MediaBuyStatus): boolean {
  return status !== 'pending' && status !== 'paused';
}

/** A creative's state in public words: what is looked at is under review; 3.0 has no word for one that was taken out. Pure. */
export function publicCreativeStatus(status: CreativeStatus, release: Release): string {
  if (status === 'processing') return 'pending_review';
  return status === 'suspended' && release === '3.0' ? 'rejected' : status;
}

/** The states of ours that are told as one of these: none where the release tells of none by such a word. Pure. */
export function ourCreativeStatuses(statuses: readonly string[], release: Release): CreativeStatus[] {
  return CreativeStatus.options.filter((status) => statuses.includes(publicCreativeStatus(status, release)));
}
