import { AppError } from '../../platform/errors.ts';
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

/** What a buyer may do with a buy in this state, in a fixed order (rule B9, `valid_actions`). */
export function validActions(status: MediaBuyStatus): string[] {
  if (isTerminalBuy(status)) return [];
  return [
    ...(status !== 'paused' ? ['pause'] : ['resume']),
    'cancel',
    'update_budget',
    'update_dates',
    'update_packages',
    'update_targeting',
    'sync_creatives',
  ];
}

/** Why and by whom, for the history. */
export type BuyTransitionCause = Pick<MediaBuyEvent, 'at' | 'action' | 'actor'> &
  Partial<Pick<MediaBuyEvent, 'note' | 'task_id'>>;

/**
 * The buy after a transition, with the transition in its history. Pure; the store's compare-and-swap raises `revision`. A buy that is
 * paused while it waits keeps its `pending_reason`.
 * @throws {AppError} `NOT_CANCELLABLE` for canceling a canceled buy, `INVALID_STATE` for any other transition that is not legal.
 */
export function transitionBuy(buy: MediaBuy, to: MediaBuyStatus, cause: BuyTransitionCause): MediaBuy {
  if (!isLegalBuyTransition(buy.status, to)) throw refusal(buy, to);
  const waits: PendingReason | null = to === 'paused' ? buy.pending_reason : null;
  return {
    ...buy,
    status: to,
    open: !isTerminalBuy(to),
    pending_reason: waits,
    updated_at: cause.at,
    history: [...buy.history, { note: null, task_id: null, ...cause, from_status: buy.status, to_status: to }],
  };
}

/** @throws {AppError} `INVALID_STATE` when the buy is terminal: nothing about it can change any more (rule B2). */
export function assertOpen(buy: MediaBuy): void {
  if (!isTerminalBuy(buy.status)) return;
  throw new AppError('INVALID_STATE', `media buy ${buy.media_buy_id} is ${buy.status} and cannot change any more`, {
    field: 'media_buy_id',
    details: { status: buy.status },
  });
}

function refusal(buy: MediaBuy, to: MediaBuyStatus): AppError {
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
