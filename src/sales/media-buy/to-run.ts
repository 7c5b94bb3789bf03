import type { MediaBuy } from './media-buy.ts';

/**
 * Whether a buy runs by itself once nothing is left to wait for: one that is pending, or that its buyer paused while it waited and has
 * had resumed since. Pure.
 */
export function isToRun({ status, resumes }: Pick<MediaBuy, 'status' | 'resumes'>): boolean {
  return status === 'pending' || (status === 'paused' && resumes === true);
}

/** Whether a buy was paused while it waits, and stays so until it is resumed. Pure. */
export function isPausedWhileWaiting(buy: Pick<MediaBuy, 'status' | 'resumes' | 'pending_reason'>): boolean {
  return buy.status === 'paused' && buy.pending_reason !== null && !isToRun(buy);
}

/** Whether a buy is paused until its buyer has it resumed: it does not wait to run, nor for the seller to release it. Pure. */
export function staysPaused(buy: Pick<MediaBuy, 'status' | 'resumes' | 'on_hold'>): boolean {
  return buy.status === 'paused' && !isToRun(buy) && buy.on_hold?.resumes !== true;
}

/** The buy as one that its buyer has had resumed, to go on as soon as nothing keeps it from that. Pure. */
export function withResumption(buy: MediaBuy): MediaBuy {
  return { ...buy, resumes: true };
}

/** The buy without that: it has begun, is over, or its buyer has paused it again. The very same where nothing was asked. Pure. */
export function withoutResumption(buy: MediaBuy): MediaBuy {
  if (buy.resumes === undefined) return buy;
  const { resumes: _resumes, ...others } = buy;
  return others;
}
