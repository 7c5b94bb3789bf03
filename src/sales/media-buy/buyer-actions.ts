import { AppError } from '../../platform/errors.ts';
import type { MediaBuy } from './media-buy.ts';
import { WAITS_FOR } from './readiness.ts';
import { isPausedWhileWaiting, isToRun, staysPaused } from './to-run.ts';
import { isOnHold } from './seller-hold.ts';
import { overRefusal, transitionRefusal } from './transitions.ts';

/** What a buyer can do with a media buy, in the order in which `valid_actions` lists it (rule B9). */
export const BUYER_ACTIONS = [
  'pause',
  'resume',
  'cancel',
  'update_budget',
  'update_dates',
  'update_packages',
  'update_targeting',
  'sync_creatives',
] as const;
export type BuyerAction = (typeof BUYER_ACTIONS)[number];

/** All that is asked of a buy before an action is taken. */
type Standing = Pick<MediaBuy, 'media_buy_id' | 'status' | 'pending_reason' | 'on_hold' | 'resumes'>;

/** In which words it is asked. */
export interface ActionWords {
  /**
   * A buy that was paused while it waits can be resumed, to go on waiting: so in the public protocol. In our own words a resume makes it
   * `active`, and is refused until it can be (rules B2, B9.valid-actions).
   */
  mayWait?: boolean;
}

/** Answered before, by all that they hang on: no more than there are of these. Every write of a buy asks. */
const listed = new Map<string, readonly BuyerAction[]>();

/** The actions that would be taken for the buy as it stands (rule B9). Pure. */
export function validActions(buy: Standing, words: ActionWords = {}): BuyerAction[] {
  const { mayWait = false } = words;
  const standing = `${buy.status} ${buy.pending_reason} ${isOnHold(buy)} ${isToRun(buy)} ${staysPaused(buy)} ${mayWait}`;
  const known =
    listed.get(standing) ?? BUYER_ACTIONS.filter((action) => actionRefusal(buy, action, words) === undefined);
  listed.set(standing, known);
  return [...known];
}

/**
 * Why the buy as it stands allows no such action, undefined when it does: `INVALID_STATE`, `NOT_CANCELLABLE`. All that takes
 * or lists an action asks here (rules B2, B9). Pure; which actions are refused hangs on status, pending reason, hold, resumption and words alone.
 */
export function actionRefusal(
  buy: Standing,
  action: BuyerAction,
  { mayWait = false }: ActionWords = {},
): AppError | undefined {
  if (action === 'cancel') return transitionRefusal(buy, 'canceled');
  const over = overRefusal(buy);
  if (over !== undefined || (action !== 'pause' && action !== 'resume')) return over;
  const { media_buy_id, status, pending_reason, on_hold } = buy;
  if (action === 'resume' && isOnHold(buy)) {
    const message = `media buy ${media_buy_id} is held by the seller: ${on_hold?.reason ?? ''}`;
    const suggestion = 'it goes on as it was once the seller releases it';
    return new AppError('INVALID_STATE', message, { field: 'updates.status', suggestion, details: { status } });
  }
  if (action === 'resume' && mayWait && isPausedWhileWaiting(buy)) return undefined;
  // One that was resumed while it waits would run by itself, and one that the seller holds back once it is released.
  if (action === 'pause' && status === 'paused' && !staysPaused(buy)) return undefined;
  if (action === 'resume' && pending_reason !== null) {
    const message = `media buy ${media_buy_id} waits for ${WAITS_FOR[pending_reason]}; it can become active then`;
    return new AppError('INVALID_STATE', message, { field: 'updates.status', details: { status } });
  }
  const to = action === 'pause' ? 'paused' : 'active';
  if (to === status) {
    const message = `updates.status: media buy ${media_buy_id} is ${status} already`;
    return new AppError('INVALID_STATE', message, { field: 'updates.status', details: { status } });
  }
  return transitionRefusal(buy, to);
}
