import { AppError } from '../../platform/errors.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { approvalEvent } from '../../sales/approval/decided-buy.ts';
import type { ApprovedBy } from '../../sales/approval/decided-buy.ts';
import { actionRefusal } from '../../sales/media-buy/buyer-actions.ts';
import type { BuyerAction } from '../../sales/media-buy/buyer-actions.ts';
import type { MediaBuy, MediaBuyEvent } from '../../sales/media-buy/media-buy.ts';
import { assertOpen, transitionBuy } from '../../sales/media-buy/transitions.ts';
import { settleReadiness } from '../../sales/media-buy/readiness.ts';
import type { ReadinessFacts } from '../../sales/media-buy/readiness.ts';
import type { UpdatePlan } from './plan.ts';
import type { UpdateMediaBuyRequest, UpdateMediaBuyResponse, Updates } from './schema.ts';

/**
 * Refuses an update that the buy's state does not allow (rule B2).
 * @throws {AppError} `CONFLICT` for a stale revision, `INVALID_STATE`, `NOT_CANCELLABLE`.
 */
export function assertUpdatable(buy: MediaBuy, { revision, updates }: UpdateMediaBuyRequest): void {
  if (updates.status === 'canceled') assertAction(buy, 'cancel');
  assertOpen(buy);
  if (revision !== undefined && revision !== buy.revision) {
    throw new AppError(
      'CONFLICT',
      `revision: media buy ${buy.media_buy_id} is at revision ${buy.revision} by now; read it again`,
      {
        field: 'revision',
        details: { revision: buy.revision },
      },
    );
  }
  for (const action of actionsOf(updates)) assertAction(buy, action);
}

function assertAction(buy: MediaBuy, action: BuyerAction): void {
  const refusal = actionRefusal(buy, action);
  if (refusal !== undefined) throw refusal;
}

/** What updates ask for, in the words of `valid_actions`. Webhooks can change as long as the buy is not over. */
function actionsOf({ status, budget_change, start_time, end_time, targeting, packages }: Updates): BuyerAction[] {
  return [
    ...(status === undefined ? [] : [MOVES[status]]),
    ...(budget_change === undefined ? [] : (['update_budget'] as const)),
    ...(start_time === undefined && end_time === undefined ? [] : (['update_dates'] as const)),
    ...(targeting === undefined ? [] : (['update_targeting'] as const)),
    ...(packages === undefined ? [] : (['update_packages'] as const)),
  ];
}

const MOVES = { active: 'resume', paused: 'pause', canceled: 'cancel' } as const;

const ACTIONS = { active: 'resumed', paused: 'paused', canceled: 'canceled' } as const;

/** When and by which task an update is made, and by whose leave. */
export interface UpdateCause {
  task_id: TaskId;
  at: string;
  facts: ReadinessFacts;
  /** A person's, where one was needed. */
  approval?: ApprovedBy | undefined;
}

/** The buy after the update, with who approved it and what it did in the history (rules B6, B15.shown). Pure. */
export function applyPlan(buy: MediaBuy, plan: UpdatePlan, { task_id, at, facts, approval }: UpdateCause): MediaBuy {
  const { status, affected_packages } = plan;
  const done = { affected_packages, revision: buy.revision + 1 };
  const others = plan.changes.filter((name) => name !== 'status');
  const before = approval === undefined ? buy.history : [...buy.history, approvalEvent(buy, approval, at)];
  let next: MediaBuy = { ...buy, ...plan.changed, updated_at: at, history: before };
  if (others.length > 0) {
    const cause = { at, action: 'updated', actor: 'buyer' as const, note: others.join(', '), task_id };
    const event: MediaBuyEvent = { ...cause, from_status: buy.status, to_status: buy.status, ...done };
    next = { ...next, history: [...before, event] };
  }
  if (status !== undefined) {
    const moved = transitionBuy(next, status, { at, action: ACTIONS[status], actor: 'buyer', task_id });
    const last = moved.history.at(-1);
    next = { ...moved, history: [...moved.history.slice(0, -1), ...(last ? [{ ...last, ...done }] : [])] };
  }
  return settleReadiness(next, facts, at) ?? next;
}

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
    implementation_date: event.at,
  };
}
