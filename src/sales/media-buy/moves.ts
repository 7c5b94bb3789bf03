import { AppError } from '../../platform/errors.ts';
import type { MediaBuy, MediaBuyEvent, MediaBuyStatus, PendingReason } from './media-buy.ts';

/** Every legal move of a media buy (rule B2). Who is not a key here, or has no targets, stays. */
export const MOVES: Readonly<Record<MediaBuyStatus, readonly MediaBuyStatus[]>> = {
  pending: ['active', 'paused', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  paused: ['active', 'completed', 'canceled'],
  completed: [],
  canceled: [],
  rejected: [],
};

export function isTerminal(status: MediaBuyStatus): boolean {
  return MOVES[status].length === 0;
}

export function isLegalMove(from: MediaBuyStatus, to: MediaBuyStatus): boolean {
  return MOVES[from].includes(to);
}

/** What a buyer may do with a buy in this state, in a fixed order (rule B9, `valid_actions`). */
export function validActions(status: MediaBuyStatus): string[] {
  if (isTerminal(status)) return [];
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
export type MoveCause = Pick<MediaBuyEvent, 'at' | 'action' | 'actor'> &
  Partial<Pick<MediaBuyEvent, 'note' | 'task_id'>>;

/**
 * The buy after a move, with the move in its history. Pure; the store's compare-and-swap raises `revision`. A buy that is
 * paused while it waits keeps its `pending_reason`.
 * @throws {AppError} `NOT_CANCELLABLE` for canceling a canceled buy, `INVALID_STATE` for any other move that is not legal.
 */
export function move(buy: MediaBuy, to: MediaBuyStatus, cause: MoveCause): MediaBuy {
  if (!isLegalMove(buy.status, to)) throw refusal(buy, to);
  const waits: PendingReason | null = to === 'paused' ? buy.pending_reason : null;
  return {
    ...buy,
    status: to,
    open: !isTerminal(to),
    pending_reason: waits,
    updated_at: cause.at,
    history: [...buy.history, { note: null, task_id: null, ...cause, from_status: buy.status, to_status: to }],
  };
}

/** @throws {AppError} `INVALID_STATE` when the buy is terminal: nothing about it can change any more (rule B2). */
export function assertOpen(buy: MediaBuy): void {
  if (!isTerminal(buy.status)) return;
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
  const legal = MOVES[buy.status];
  return new AppError('INVALID_STATE', `media buy ${buy.media_buy_id} is ${buy.status} and cannot become ${to}`, {
    field: 'media_buy_id',
    ...(legal.length > 0 && { suggestion: `from ${buy.status} it can become ${legal.join(', ')}` }),
    details: { status: buy.status },
  });
}
