import { sumMinor } from '../../platform/money.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { approvalEvent } from '../approval/decided-buy.ts';
import type { ApprovedBy } from '../approval/decided-buy.ts';
import type { BuyChange } from './buy-change.ts';
import type { MediaBuy, MediaBuyEvent } from './media-buy.ts';
import type { MediaBuyPackage } from './media-buy-package.ts';
import { WAITS_FOR } from './readiness.ts';
import { isOnHold, withoutRelease } from './seller-hold.ts';
import { withoutResumption, withResumption } from './to-run.ts';
import { transitionBuy } from './transitions.ts';

/** When and by which task an update takes hold, and by whose leave. */
export interface ChangeCause {
  task_id: TaskId;
  at: string;
  /** A person's, where one was needed. */
  approval?: ApprovedBy | undefined;
}

export const MOVE_ACTIONS = { active: 'resumed', paused: 'paused', canceled: 'canceled' } as const;

/** The buy with an update's terms and nothing else of it: no move, no history. Pure. */
export function withTerms(buy: MediaBuy, change: BuyChange): MediaBuy {
  const { packages, new_packages = [], start_time, end_time, name } = change;
  const lines = [...buy.packages.map((line) => changedLine(line, packages)), ...new_packages];
  return {
    ...buy,
    start_time: start_time ?? buy.start_time,
    end_time: end_time ?? buy.end_time,
    ...(name !== undefined && { name }),
    packages: lines,
    total_budget_minor: sumMinor(lines.map(({ budget_minor }) => budget_minor)),
  };
}

/** The buy after the update, with who approved it and what it did in the history (rules B6, B15.shown). Pure. */
export function applyChange(buy: MediaBuy, change: BuyChange, { task_id, at, approval }: ChangeCause): MediaBuy {
  const { status, resumes = false, affected_packages, new_packages = [] } = change;
  const added = new_packages.map(({ package_id }) => package_id);
  const done = { affected_packages, ...(added.length > 0 && { new_packages: added }), revision: buy.revision + 1 };
  const others = change.changes.filter((name) => name !== 'status');
  const before = approval === undefined ? buy.history : [...buy.history, approvalEvent(buy, approval, at)];
  const changed = withTerms(buy, change);
  const packages = changed.packages.map((line, i) =>
    withPast(buy.packages[i], line, { created_at: buy.created_at, at }),
  );
  const asked = status === 'paused' ? withoutRelease(changed) : changed;
  let next: MediaBuy = { ...asked, packages, updated_at: at, history: before };
  // Of a resume that a stop has overtaken nothing is left but that it was asked for.
  if (others.length > 0 || (status === undefined && !resumes)) {
    const note = others.length > 0 ? others.join(', ') : 'overtaken by a stop';
    const cause = { at, action: 'updated', actor: 'buyer' as const, note, task_id };
    const event: MediaBuyEvent = { ...cause, from_status: buy.status, to_status: buy.status, ...done };
    next = { ...next, history: [...before, event] };
  }
  if (resumes) return resumed(next, { at, task_id }, done);
  if (status === 'paused' && buy.resumes === true) return pausedAgain(next, { at, task_id }, done);
  if (status === undefined || status === buy.status) return next;
  // It was asked for before the seller held the buy back: it resumes once it is released.
  if (status === 'active' && buy.on_hold && isOnHold(buy))
    return { ...next, on_hold: { ...buy.on_hold, resumes: true } };
  const moved = transitionBuy(next, status, { at, action: MOVE_ACTIONS[status], actor: 'buyer', task_id });
  const last = moved.history.at(-1);
  return { ...moved, history: [...moved.history.slice(0, -1), ...(last ? [{ ...last, ...done }] : [])] };
}

/** Of a buy that was paused while it waits: it stays `paused` until it runs, and runs once nothing is left to wait for. */
function resumed(buy: MediaBuy, cause: ChangeCause, done: Partial<MediaBuyEvent>): MediaBuy {
  const { pending_reason: reason } = buy;
  const note = reason === null ? 'runs as soon as the ad server does' : `still waits for ${WAITS_FOR[reason]}`;
  return withResumption(standing(buy, { ...cause, action: MOVE_ACTIONS.active, note }, done));
}

/** Of one that was resumed since: it stays `paused`, whatever it waits for. */
function pausedAgain(buy: MediaBuy, cause: ChangeCause, done: Partial<MediaBuyEvent>): MediaBuy {
  return withoutResumption(standing(buy, { ...cause, action: MOVE_ACTIONS.paused, note: null }, done));
}

/** The buy with what its buyer did in the history, and no move. */
function standing(
  buy: MediaBuy,
  { at, task_id, action, note }: ChangeCause & Pick<MediaBuyEvent, 'action' | 'note'>,
  done: Partial<MediaBuyEvent>,
): MediaBuy {
  const { status, history } = buy;
  const cause = { at, action, actor: 'buyer' as const, note, task_id };
  return { ...buy, history: [...history, { ...cause, from_status: status, to_status: status, ...done }] };
}

/** The line with the price and the budget that held before noted: what was delivered by them is judged and billed by them. */
function withPast(
  before: MediaBuyPackage | undefined,
  line: MediaBuyPackage,
  { created_at, at }: { created_at: string; at: string },
): MediaBuyPackage {
  if (before === undefined) return line;
  const isCut = line.budget_minor < before.budget_minor;
  const peak_budget_minor = Math.max(before.peak_budget_minor ?? 0, before.budget_minor);
  const cut = isCut ? { ...line, peak_budget_minor } : line;
  if (before.bid_price_minor === line.bid_price_minor) return cut;
  const first = { from: created_at, rate_minor: before.bid_price_minor ?? before.price_minor ?? 0 };
  const rate_minor = line.bid_price_minor ?? line.price_minor ?? 0;
  return { ...cut, prices: [...(before.prices ?? [first]), { from: at, rate_minor }] };
}

function changedLine(line: MediaBuyPackage, changes: BuyChange['packages']): MediaBuyPackage {
  const change = changes.find(({ package_id }) => package_id === line.package_id);
  if (change === undefined) return line;
  const { bid_price_minor = line.bid_price_minor, budget_minor = line.budget_minor, paused = line.paused } = change;
  const { targeting_overlay = line.targeting_overlay, creative_ids = line.creative_ids } = change;
  const offered_targeting = change.offered_targeting ?? line.offered_targeting;
  return {
    ...{ ...line, bid_price_minor, budget_minor, paused, targeting_overlay, creative_ids },
    ...(offered_targeting !== undefined && { offered_targeting }),
  };
}
