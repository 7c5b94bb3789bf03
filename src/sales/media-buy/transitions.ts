import { AppError } from '../../platform/errors.ts';
import { withoutResumption } from './to-run.ts';
import type { MediaBuy, MediaBuyEvent, MediaBuyStatus, PendingReason } from './media-buy.ts';

/** Every legal transition of a media buy (rule B2). Who is not a key here, or has no targets, stays. */
export const MEDIA_BUY_TRANSITIONS: Readonly<Record<MediaBuyStatus, readonly MediaBuyStatus[]>> = {
  pending: ['active', 'paused', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  paused: ['active', 'completed', 'canceled'],
  completed: [],
  canceled: [],
  rejected: [],
};

export function isTerminalBuy(status: MediaBuyStatus): boolean {
  return MEDIA_BUY_TRANSITIONS[status].length === 0;
}

export function isLegalBuyTransition(from: MediaBuyStatus, to: MediaBuyStatus): boolean {
  return MEDIA_BUY_TRANSITIONS[from].includes(to);
}

/** Why and by whom, for the history. */
export type BuyTransitionCause = Pick<MediaBuyEvent, 'at' | 'action' | 'actor'> &
  Partial<Pick<MediaBuyEvent, 'note' | 'task_id'>>;

/**
 * The buy after a transition, with the transition in its history. Pure; `revision` is raised as it is stored. A buy that is
 * paused while it waits keeps its `pending_reason`.
 * @throws {AppError} `NOT_CANCELLABLE` for canceling a canceled buy, `INVALID_STATE` for any other transition that is not legal.
 */
export function transitionBuy(buy: MediaBuy, to: MediaBuyStatus, cause: BuyTransitionCause): MediaBuy {
  const refusal = transitionRefusal(buy, to);
  if (refusal !== undefined) throw refusal;
  const waits: PendingReason | null = to === 'paused' ? buy.pending_reason : null;
  return {
    ...withoutResumption(buy),
    status: to,
    open: !isTerminalBuy(to),
    pending_reason: waits,
    updated_at: cause.at,
    history: [...buy.history, { note: null, task_id: null, ...cause, from_status: buy.status, to_status: to }],
  };
}

/** @throws {AppError} see {@link overRefusal}. */
export function assertOpen(buy: MediaBuy): void {
  const refusal = overRefusal(buy);
  if (refusal !== undefined) throw refusal;
}

/** `INVALID_STATE` when the buy is terminal, since nothing about it can change any more (rule B2); else undefined. */
export function overRefusal(buy: Pick<MediaBuy, 'media_buy_id' | 'status'>): AppError | undefined {
  if (!isTerminalBuy(buy.status)) return undefined;
  return new AppError('INVALID_STATE', `media buy ${buy.media_buy_id} is ${buy.status} and cannot change any more`, {
    field: 'media_buy_id',
    details: { status: buy.status },
  });
}

/** Why a buy cannot make a transition, as {@link transitionBuy} throws it; undefined when it can. */
export function transitionRefusal(
  buy: Pick<MediaBuy, 'media_buy_id' | 'status'>,
  to: MediaBuyStatus,
): AppError | undefined {
  if (isLegalBuyTransition(buy.status, to)) return undefined;
  if (buy.status === 'canceled' && to === 'canceled') {
    return new AppError('NOT_CANCELLABLE', `media buy ${buy.media_buy_id} is canceled already`, {
      field: 'media_buy_id',
      details: { status: buy.status },
    });
  }
  const legal = MEDIA_BUY_TRANSITIONS[buy.status];
  return new AppError('INVALID_STATE', `media buy ${buy.media_buy_id} is ${buy.status} and cannot become ${to}`, {
    field: 'media_buy_id',
    ...(legal.length > 0 && { suggestion: `from ${buy.status} it can become ${legal.join(', ')}` }),
    details: { status: buy.status },
  });
}
