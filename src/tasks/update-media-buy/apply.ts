import { AppError } from '../../platform/errors.ts';
import type { TaskId } from '../../platform/task-id.ts';
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
  const at = buy.updated_at;
  if (updates.status === 'canceled') transitionBuy(buy, 'canceled', { at, action: 'canceled', actor: 'buyer' });
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
  assertMove(buy, updates.status);
}

function assertMove(buy: MediaBuy, status: Updates['status']): void {
  if (status === undefined) return;
  if (status === 'active' && buy.pending_reason !== null) {
    const message = `media buy ${buy.media_buy_id} waits for ${WORDS[buy.pending_reason]}; it can become active then`;
    throw new AppError('INVALID_STATE', message, { field: 'updates.status', details: { status: buy.status } });
  }
  if (status === buy.status) {
    const message = `updates.status: media buy ${buy.media_buy_id} is ${status} already`;
    throw new AppError('INVALID_STATE', message, { field: 'updates.status', details: { status } });
  }
  transitionBuy(buy, status, { at: buy.updated_at, action: status, actor: 'buyer' });
}

const WORDS = {
  approval: 'approval by the seller',
  creatives: 'an approved creative in every package',
  start_time: 'its start',
};

const ACTIONS = { active: 'resumed', paused: 'paused', canceled: 'canceled' } as const;

/** The buy after the update, with what it did in the history (rule B6). Pure. */
export function applyPlan(
  buy: MediaBuy,
  plan: UpdatePlan,
  { task_id, at, facts }: { task_id: TaskId; at: string; facts: ReadinessFacts },
): MediaBuy {
  const { status, affected_packages } = plan;
  const done = { affected_packages, revision: buy.revision + 1 };
  const others = plan.changes.filter((name) => name !== 'status');
  let next: MediaBuy = { ...buy, ...plan.changed, updated_at: at };
  if (others.length > 0) {
    const cause = { at, action: 'updated', actor: 'buyer' as const, note: others.join(', '), task_id };
    const event: MediaBuyEvent = { ...cause, from_status: buy.status, to_status: buy.status, ...done };
    next = { ...next, history: [...buy.history, event] };
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
