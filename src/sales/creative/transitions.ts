import { AppError } from '../../platform/errors.ts';
import { withUntold } from '../status-change.ts';
import { MAX_EVENTS } from './creative.ts';
import type { Creative, CreativeEvent, CreativeReasonCode, CreativeStatus } from './creative.ts';

/**
 * Every legal transition of one version of a creative (rule B11). A change of its format or assets begins a new version
 * in {@link FIRST_STATUS}. Rule B11 shows archiving from `approved`; `delete_missing` archives whatever is absent, so the
 * other states lead there too.
 */
export const CREATIVE_TRANSITIONS: Readonly<Record<CreativeStatus, readonly CreativeStatus[]>> = {
  processing: ['pending_review', 'archived'],
  pending_review: ['approved', 'rejected', 'archived'],
  approved: ['suspended', 'archived'],
  suspended: ['approved', 'archived'],
  rejected: ['archived'],
  archived: [],
};

/**
 * What of it subscribers are told when the seller or the system does it: what their list shows, and a verdict explains. Of what a
 * buyer does its own answer tells.
 */
const TOLD: Readonly<Record<CreativeStatus, readonly CreativeStatus[]>> = {
  processing: [],
  pending_review: ['approved', 'rejected'],
  approved: ['suspended', 'archived'],
  suspended: ['approved'],
  rejected: [],
  archived: [],
};

/** The state a version begins in. */
export const FIRST_STATUS = 'processing' satisfies CreativeStatus;

export function isLegalCreativeTransition(from: CreativeStatus, to: CreativeStatus): boolean {
  return CREATIVE_TRANSITIONS[from].includes(to);
}

/** What, why and by whom, for the history; `reason_code` is kept while the state lasts. */
export type CreativeTransitionCause = Pick<CreativeEvent, 'at' | 'action' | 'actor'> &
  Partial<Pick<CreativeEvent, 'note' | 'task_id' | 'by'>> & {
    reason_code?: CreativeReasonCode | null;
    /** When the review is to be asked next; never, unless said. */
    review_due_at?: string | null;
  };

/**
 * The creative after a transition, with the transition in its history. The buys that use it are to be looked at again
 * (`effects_due_at`), and subscribers to be told (`untold`). Pure; the store's compare-and-swap raises `revision`.
 * @throws {AppError} `INVALID_STATE` for a transition that is not legal.
 */
export function transitionCreative(creative: Creative, to: CreativeStatus, cause: CreativeTransitionCause): Creative {
  if (!isLegalCreativeTransition(creative.status, to)) throw refusal(creative, to);
  const { reason_code = null, review_due_at = null, at, action, actor, by, note = null, task_id = null } = cause;
  const isOut = to === 'rejected' || to === 'suspended' || to === 'archived';
  const event: CreativeEvent = {
    ...{ at, action, actor, from_status: creative.status, to_status: to, changes: [], note, task_id },
    ...(by !== undefined && { by }),
  };
  const moved = {
    ...creative,
    status: to,
    status_reason: isOut ? note : null,
    reason_code: isOut ? reason_code : null,
    review_due_at,
    effects_due_at: creative.effects_due_at ?? at,
    history: withEvent(creative.history, event),
    updated_at: at,
  };
  if (actor === 'buyer' || !TOLD[creative.status].includes(to)) return moved;
  return withUntold(moved, creative.creative_key, {
    ...{ at, from_status: creative.status, to_status: to, initiator: actor },
    ...{ reason_code: moved.reason_code, note: moved.status_reason },
  });
}

/** A history with one more event, bounded. */
export function withEvent(history: readonly CreativeEvent[], event: CreativeEvent): CreativeEvent[] {
  return [...history, event].slice(-MAX_EVENTS);
}

function refusal({ creative_id, status }: Creative, to: CreativeStatus): AppError {
  const legal = CREATIVE_TRANSITIONS[status];
  const message = `creative ${creative_id} is ${status} and cannot become ${to}`;
  return new AppError('INVALID_STATE', message, {
    field: 'creative_id',
    ...(legal.length > 0 && { suggestion: `from ${status} it can become ${legal.join(', ')}` }),
    details: { status },
  });
}
