import type { AppError } from '../../platform/errors.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { Approval } from '../../sales/approval/approval.ts';
import { hasOpen, hasPart, withChange, withStop } from '../../sales/ad-order/open.ts';
import { settled } from '../../sales/ad-order/settled.ts';
import { lookedAtSoon } from '../../sales/media-buy/looked-at-soon.ts';
import { refusedAs, withVerdict } from '../../sales/ad-order/verdict.ts';
import { MOVE_ACTIONS, withTerms } from '../../sales/media-buy/apply-change.ts';
import type { BuyChange } from '../../sales/media-buy/buy-change.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { TaskDependencies } from '../dependencies.ts';

/** Whether an update only pauses or ends: it waits for no other change. */
export function isStop({ status, changes, packages }: BuyChange): boolean {
  return (
    (status === 'paused' || status === 'canceled') &&
    packages.length === 0 &&
    changes.every((name) => NO_TERMS.has(name))
  );
}

/** What an update may name without changing what the ad server runs. */
const NO_TERMS: ReadonlySet<string> = new Set(['status', 'push_notification_config', 'reporting_webhook']);

/** What is to be sent, and for whom. */
export interface Sending {
  task_id: TaskId;
  change: BuyChange;
  approval: Approval | undefined;
}

/**
 * Opens a committed change of the buy, as it was seen, and tells the ad server; false when another writer came first, and the
 * change is to be planned anew.
 */
export async function sendChange(deps: TaskDependencies, buy: MediaBuy, sending: Sending): Promise<boolean> {
  const { task_id, change, approval } = sending;
  const look = await deps.courier.look({ ...buy, packages: [...buy.packages, ...withTerms(buy, change).packages] });
  const next = isStop(change) ? stopped(buy, sending, look) : withChange(buy, { task_id, change, approval }, look);
  const changed = hasOpen(next) ? next : (settled(next, look) ?? next);
  const written = await deps.mediaBuys.replace(lookedAtSoon(buy, changed, look.at));
  if (written === undefined) return false;
  if (hasOpen(written)) await deps.courier.tell(buy.media_buy_id, { own: task_id, inHand: true });
  return true;
}

function stopped(
  buy: MediaBuy,
  { task_id, change: { status, reason } }: Sending,
  planning: Parameters<typeof withStop>[2],
): MediaBuy {
  const to_status = status === 'canceled' ? 'canceled' : 'paused';
  return withStop(
    buy,
    { task_id, to_status, action: MOVE_ACTIONS[to_status], actor: 'buyer', note: reason ?? null },
    planning,
  );
}

/**
 * That a committed change cannot be made after all, written where a late turn of the task finds it before it is answered.
 * Answers what the task is to answer: another turn may have got on meanwhile.
 */
export async function refuseCommitted(
  deps: TaskDependencies,
  media_buy_id: MediaBuyId,
  task_id: TaskId,
  refusal: AppError,
): Promise<'refused' | 'goes on'> {
  const verdict = refusedAs(refusal, toTimestamp(deps.clock.now()));
  const outcome = await deps.mediaBuys.update(media_buy_id, (buy) =>
    hasPart(buy, task_id) || buy.verdicts?.[task_id] !== undefined ? undefined : withVerdict(buy, task_id, verdict),
  );
  return outcome?.changed === true ? 'refused' : 'goes on';
}
