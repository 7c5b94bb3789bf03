import type { MediaBuy, MediaBuyEvent } from '../media-buy/media-buy.ts';
import { isLegalBuyTransition, transitionBuy } from '../media-buy/transitions.ts';
import { reasonToWait, settleReadiness } from '../media-buy/readiness.ts';
import type { ReadinessFacts } from '../media-buy/readiness.ts';
import { isToRun } from '../media-buy/to-run.ts';
import type { Approval } from './approval.ts';

/** The buy after a person has approved it: it waits for what else it lacks, or becomes active. Pure. */
export function approved(
  buy: MediaBuy,
  approval: ApprovedBy,
  facts: Omit<ReadinessFacts, 'awaitsApproval'>,
  at: string,
): MediaBuy {
  const event = approvalEvent(buy, approval, at);
  const noted = { ...buy, updated_at: at, history: [...buy.history, event] };
  const granted = { ...facts, awaitsApproval: false };
  const settled = settleReadiness(noted, granted, at);
  if (settled !== undefined) return settled;
  // Its flight is over, or it is not held yet: what is pending waits for something as long as it is.
  return { ...noted, pending_reason: reasonToWait(noted, granted) ?? (isToRun(noted) ? 'ad_server' : null) };
}

/** Who approved, for which task, and what they say to the buyer. */
export type ApprovedBy = Pick<Approval, 'note' | 'task_id' | 'decided_by'>;

/** That a person has approved something about a buy, as its history keeps it; who it was, buyers are not told. Pure. */
export function approvalEvent(
  { status }: Pick<MediaBuy, 'status'>,
  { note, task_id, decided_by }: ApprovedBy,
  at: string,
): MediaBuyEvent {
  const by = decided_by === null ? {} : { by: decided_by };
  return { at, action: 'approved', actor: 'seller', from_status: status, to_status: status, note, task_id, ...by };
}

/** The buy after a person has rejected it; one that was paused meanwhile is canceled, since only a pending one is rejected. Pure. */
export function rejected(
  buy: MediaBuy,
  { reason, task_id }: Pick<Approval, 'reason' | 'task_id'>,
  at: string,
): MediaBuy {
  const to = isLegalBuyTransition(buy.status, 'rejected') ? 'rejected' : 'canceled';
  return transitionBuy(buy, to, { at, action: 'rejected', actor: 'seller', note: reason, task_id });
}
