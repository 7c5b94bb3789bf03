import { AppError } from '../../platform/errors.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { actionRefusal } from '../../sales/media-buy/buyer-actions.ts';
import type { ActionWords, BuyerAction } from '../../sales/media-buy/buyer-actions.ts';
import type { MediaBuy, MediaBuyEvent } from '../../sales/media-buy/media-buy.ts';
import { overRefusal } from '../../sales/media-buy/transitions.ts';
import type { UpdateMediaBuyRequest, UpdateMediaBuyResponse, Updates } from './schema.ts';

/** An update, as far as the buy's state says whether it may be. */
export type AskedUpdate = Partial<Pick<UpdateMediaBuyRequest, 'revision' | 'updates'>>;

/**
 * Refuses an update that the buy's state does not allow (rule B2).
 * @throws {AppError} `CONFLICT` for a stale revision, `INVALID_STATE`, `NOT_CANCELLABLE`.
 */
export function assertUpdatable(buy: MediaBuy, asked: AskedUpdate, words?: ActionWords): void {
  const [refusal] = stateRefusals(buy, asked, words);
  if (refusal !== undefined) throw refusal;
}

/** Everything that the buy's state says against an update; of a buy that is over only that, since nothing else counts. Pure. */
export function stateRefusals(buy: MediaBuy, { revision, updates = {} }: AskedUpdate, words?: ActionWords): AppError[] {
  const over = (updates.status === 'canceled' ? actionRefusal(buy, 'cancel') : undefined) ?? overRefusal(buy);
  if (over !== undefined) return [over];
  const isStale = revision !== undefined && revision !== buy.revision;
  return [
    ...(isStale ? [staleRevision(buy)] : []),
    ...actionsOf(updates).flatMap((action) => actionRefusal(buy, action, words) ?? []),
  ];
}

function staleRevision({ media_buy_id, revision }: MediaBuy): AppError {
  const message = `revision: media buy ${media_buy_id} is at revision ${revision} by now; read it again`;
  return new AppError('CONFLICT', message, { field: 'revision', details: { revision } });
}

/** What updates ask for, in the words of `valid_actions`. Webhooks can change as long as the buy is not over. */
function actionsOf({
  status,
  budget_change,
  start_time,
  end_time,
  targeting,
  packages,
  new_packages,
}: Updates): BuyerAction[] {
  return [
    ...(status === undefined ? [] : [MOVES[status]]),
    ...(budget_change === undefined ? [] : (['update_budget'] as const)),
    ...(start_time === undefined && end_time === undefined ? [] : (['update_dates'] as const)),
    ...(targeting === undefined ? [] : (['update_targeting'] as const)),
    ...(packages === undefined && new_packages === undefined ? [] : (['update_packages'] as const)),
  ];
}

const MOVES = { active: 'resume', paused: 'pause', canceled: 'cancel' } as const;

/** What a task has done to a buy already, if it has. */
export function appliedBy(buy: MediaBuy, task_id: TaskId): MediaBuyEvent | undefined {
  return buy.history.findLast((event) => event.task_id === task_id && event.affected_packages !== undefined);
}

/** The answer for an update that took hold. */
export function responseFor(
  { media_buy_id, status, revision }: MediaBuy,
  event: MediaBuyEvent,
): UpdateMediaBuyResponse {
  return {
    media_buy_id,
    status: event.revision === revision ? status : event.to_status,
    revision: event.revision ?? revision,
    affected_packages: event.affected_packages ?? [],
    ...(event.new_packages !== undefined && { new_packages: event.new_packages }),
    implementation_date: event.at,
  };
}
