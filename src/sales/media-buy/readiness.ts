import type { CreativeStatus } from '../creative/creative.ts';
import { holdingOf } from './holding.ts';
import type { MediaBuy, PendingReason } from './media-buy.ts';
import type { MediaBuyPackage } from './media-buy-package.ts';
import { isPausedWhileWaiting, isToRun } from './to-run.ts';
import { transitionBuy } from './transitions.ts';

/** What decides whether a buy can run, besides the buy itself. */
export interface ReadinessFacts {
  nowMs: number;
  /** Whether a person at the seller has yet to decide. {@link awaitsApproval} says so of a stored buy. */
  awaitsApproval: boolean;
  /** The state of one of the buyer's creatives by its name; undefined when there is none of it. */
  creativeStatus(ref: string): CreativeStatus | undefined;
}

/** Whether a stored buy waits for a person at the seller. */
export function awaitsApproval(buy: Pick<MediaBuy, 'pending_reason'>): boolean {
  return buy.pending_reason === 'approval';
}

/** Whether what a buy waits for may change with a creative. */
export function namesCreatives({ packages }: Pick<MediaBuy, 'packages'>): boolean {
  return packages.some(({ creative_ids }) => creative_ids.length > 0);
}

/**
 * What keeps a buy from running, the weightiest first: a person's approval, then a package without an approved creative,
 * then its start; null when nothing does (rule B1). Pure.
 */
export function reasonToWait(
  buy: Pick<MediaBuy, 'start_time'> & { packages: readonly Pick<MediaBuyPackage, 'creative_ids'>[] },
  facts: ReadinessFacts,
): PendingReason | null {
  if (facts.awaitsApproval) return 'approval';
  const isServed = (line: Pick<MediaBuyPackage, 'creative_ids'>) =>
    line.creative_ids.some((ref) => facts.creativeStatus(ref) === 'approved');
  if (!buy.packages.every(isServed)) return 'creatives';
  return Date.parse(buy.start_time) > facts.nowMs ? 'start_time' : null;
}

/**
 * The buy after its readiness has been looked at again, or undefined when nothing changes: a buy that is to run (`isToRun`) waits for
 * something else or becomes active; one that was paused while it waited only learns what it still waits for. Every other
 * buy, and one whose flight is over, stays as it is. Pure; transitions go through the table of {@link transitionBuy}.
 */
export function settleReadiness(buy: MediaBuy, facts: ReadinessFacts, at: string): MediaBuy | undefined {
  const isWaiting = isToRun(buy) || isPausedWhileWaiting(buy);
  if (!isWaiting || buy.open_change?.kind === 'hold' || facts.nowMs >= Date.parse(buy.end_time)) return undefined;
  const reason = isToRun(buy) ? whatItWaitsFor(buy, facts) : reasonToWait(buy, facts);
  if (isToRun(buy) && reason === null) {
    return transitionBuy(buy, 'active', {
      at,
      action: 'activated',
      actor: 'system',
      note: 'nothing is left to wait for',
    });
  }
  if (reason === buy.pending_reason) return undefined;
  // What the ad server takes a moment for is no news of its own, nor is what a buy waits for before it is made.
  const isBeingMade = buy.pending_reason === 'ad_server' && buy.is_uncommitted === true;
  if (reason === 'ad_server' || isBeingMade) return { ...buy, pending_reason: reason, updated_at: at };
  const { status } = buy;
  const note = reason === null ? 'waits for nothing any more' : `now waits for ${WAITS_FOR[reason]}`;
  return {
    ...buy,
    pending_reason: reason,
    updated_at: at,
    history: [
      ...buy.history,
      { at, action: 'readiness_changed', actor: 'system', from_status: status, to_status: status, note, task_id: null },
    ],
  };
}

/** A buy that is to run and lacks nothing else waits for the ad server, until that runs it. */
function whatItWaitsFor(buy: MediaBuy, facts: ReadinessFacts): PendingReason | null {
  const reason = reasonToWait(buy, facts);
  const couldRun = reason === null || reason === 'start_time';
  return couldRun && holdingOf(buy)?.state !== 'running' ? 'ad_server' : reason;
}

/** What a buy waits for, in words. */
export const WAITS_FOR = {
  approval: 'approval by the seller',
  creatives: 'an approved creative in every package',
  start_time: 'its start',
  ad_server: 'an answer of the ad server',
} satisfies Record<PendingReason, string>;
