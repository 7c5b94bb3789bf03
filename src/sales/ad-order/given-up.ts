import { AppError } from '../../platform/errors.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { StopCause } from '../media-buy/open-change.ts';
import { isTerminalBuy, transitionBuy } from '../media-buy/transitions.ts';
import { withStop } from './open.ts';
import type { Planning } from './open.ts';
import { refusedAs, withVerdict } from './verdict.ts';

/** What the history of a buy says of an order that a person has given up. */
const GIVEN_UP = 'given_up';

/** Whether a person has given the order up, and its end is not confirmed yet. */
export function isGivenUp({ stop }: Pick<MediaBuy, 'stop'>): boolean {
  return stop?.causes.some(({ action }) => action === GIVEN_UP) === true;
}

/** The buy with the end of its order on its way, as a person wants it: it is canceled once the end holds. Pure. */
export function withGiveUp(buy: MediaBuy, reason: string, planning: Planning): MediaBuy {
  const to_status = isTerminalBuy(buy.status) ? null : 'canceled';
  const cause: StopCause = { task_id: null, to_status, action: GIVEN_UP, actor: 'seller', note: reason };
  return withStop(buy, cause, planning, 'ended');
}

/**
 * The buy that was given up, over: canceled, and its tasks with their verdict, while its end goes on being told to the ad server.
 * Undefined when there is nothing left to do. Pure.
 * @param isKnown that the ad server holds nothing of it; else that is not known, and the tasks say so.
 */
export function withoutWaiting(buy: MediaBuy, isKnown: boolean, at: string): MediaBuy | undefined {
  const { stop, open_change } = buy;
  const cause = stop?.causes.findLast(({ action }) => action === GIVEN_UP);
  if (!stop || cause === undefined) return undefined;
  const error = isKnown ? givenUpError() : givenUpError({ effect: 'unknown' });
  const tasks = [open_change?.task_id ?? null, ...stop.causes.map(({ task_id }) => task_id)];
  if (isTerminalBuy(buy.status) && tasks.every((task_id) => task_id === null) && !open_change) return undefined;
  const { actor, action, note } = cause;
  const over = isTerminalBuy(buy.status) ? buy : transitionBuy(buy, 'canceled', { at, action, actor, note });
  const causes = stop.causes.map((one) => ({ ...one, task_id: null, to_status: null }));
  const ended: MediaBuy = { ...over, open_change: null, stop: { ...stop, causes } };
  return tasks.reduce((next, task_id) => withVerdict(next, task_id, refusedAs(error, at)), ended);
}

/** What the tasks of an order answer that was given up. */
export function givenUpError(details?: { effect: 'unknown' }): AppError {
  const message =
    details === undefined
      ? 'the ad server did not answer, and the seller has given the order up; nothing of it holds'
      : 'the ad server does not answer, and the seller has given the order up; what of it holds is not known';
  return new AppError('SERVICE_UNAVAILABLE', message, details && { details });
}
