import { isOnHold } from '../media-buy/seller-hold.ts';
import { isToRun, withResumption } from '../media-buy/to-run.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { applyChange, withTerms } from '../media-buy/apply-change.ts';
import type { BuyChange } from '../media-buy/buy-change.ts';
import { withVerdict } from './verdict.ts';
import type { OpenChange, StopCause } from '../media-buy/open-change.ts';
import { awaitsApproval, reasonToWait } from '../media-buy/readiness.ts';
import type { ReadinessFacts } from '../media-buy/readiness.ts';
import type { ApprovedBy } from '../approval/decided-buy.ts';
import type { AdOrderState } from '../ad-server/ad-order.ts';
import { adOrderOf, adOrderStateOf } from './ad-order-of.ts';
import type { OrderFacts } from './ad-order-of.ts';
import { areStill, packagesCut, withPaused } from './budget-cut.ts';
import { adVersionOf, holdingOf } from '../media-buy/holding.ts';
import { withOvertaken } from './overtaken.ts';

/** What a change is planned with. Timestamps. */
export interface Planning {
  facts: OrderFacts;
  /** What decides whether it can run. */
  readiness: Omit<ReadinessFacts, 'awaitsApproval'>;
  /** Now. */
  at: string;
  /**
   * When counts are sure of all that was delivered until now, at an ad server that takes a smaller budget without a look at
   * them; absent where it decides on a cut itself.
   */
  countedAt?: string;
  /** Until when whoever writes the plan has it in hand; the ad server is told by somebody else after that. */
  inHandUntil: string;
}

/** The buy with a change opened, under the next version. Call for a buy that has none open, and no stop. Pure. */
export function withOpenChange(
  buy: MediaBuy,
  change: Omit<OpenChange, 'order' | 'opened_at'>,
  planning: Planning,
): MediaBuy {
  if (hasOpen(buy)) throw new Error(`media buy ${buy.media_buy_id} has a change open already`);
  return planned({ ...buy, open_change: { ...change, order: null, opened_at: planning.at } }, planning);
}

/** What a buyer's update is opened with. */
export interface NewChange {
  task_id: TaskId;
  change: BuyChange;
  /** The leave of a person, where one was needed. */
  approval?: ApprovedBy | undefined;
}

/**
 * The buy with a buyer's update opened; where it changes nothing that the ad server runs, with the update done. Call for a buy
 * that has none open. Pure.
 */
export function withChange(buy: MediaBuy, { task_id, change, approval }: NewChange, planning: Planning): MediaBuy {
  const { note = null, decided_by = null } = approval ?? {};
  const leave = approval && { note, decided_by, task_id: approval.task_id };
  const cause = { kind: 'update', task_id, change, ...(leave && { approval: leave }) } as const;
  const opened = withOpenChange(buy, cause, planning);
  const { order, cut } = opened.open_change ?? {};
  if (cut !== undefined || order?.digest !== holdingOf(buy)?.digest) return opened;
  const { at } = planning;
  return withVerdict(applyChange(buy, change, { task_id, at, approval: leave }), task_id, { outcome: 'done', at });
}

/**
 * The buy with its open change planned over what is held, under the next version. One that takes budget away begins with a
 * pause of the packages concerned, where the ad server decides on nothing less. Pure.
 */
export function planned(buy: MediaBuy, planning: Planning): MediaBuy {
  const { open_change } = buy;
  if (open_change === undefined || open_change === null) return buy;
  const { cut: _begunAnew, ...change } = open_change;
  const package_ids = planning.countedAt === undefined ? [] : packagesCut(buy, change);
  if (package_ids.length === 0) return withNextVersion({ ...buy, open_change: change }, planning);
  const cut = { package_ids, paused_at: null };
  const open = { ...buy, open_change: { ...change, cut } };
  if (areStill(buy, package_ids)) return countedNext(open, planning);
  const version = adVersionOf(buy) + 1;
  const order = adOrderOf(withPaused(buy, package_ids), adOrderStateOf(buy), version, planning.facts);
  return {
    ...open,
    ...{ ad_version: version, held: holdingOf(buy) },
    open_change: { ...open.open_change, order },
    ...{ order_due_at: planning.inHandUntil, order_urgency: 1 },
  };
}

/** The buy whose packages stand still for a cut: what they have come to is counted next, once that is sure. Pure. */
export function countedNext(buy: MediaBuy, { at, countedAt = at }: Planning): MediaBuy {
  const { open_change: open } = buy;
  if (!open?.cut) throw new Error(`media buy ${buy.media_buy_id} has no budget to cut`);
  return {
    ...buy,
    ...{ ad_version: adVersionOf(buy), held: holdingOf(buy) },
    open_change: { ...open, order: null, cut: { ...open.cut, paused_at: at } },
    // It holds up nobody meanwhile.
    ...{ order_due_at: countedAt, order_urgency: 2 },
  };
}

/** The buy with its open change as it is to hold, whatever it begins with. Pure. */
export function withNextVersion(buy: MediaBuy, { facts, readiness, inHandUntil }: Planning): MediaBuy {
  const { open_change } = buy;
  if (open_change === undefined || open_change === null) return buy;
  const version = adVersionOf(buy) + 1;
  const { next, state } = foreseen(buy, open_change, readiness);
  const order = adOrderOf(next, state, version, facts);
  return {
    ...buy,
    ...{ ad_version: version, held: holdingOf(buy) },
    open_change: { ...open_change, order },
    order_due_at: inHandUntil,
    order_urgency: urgencyOf(buy, next, open_change.kind),
  };
}

/**
 * The buy with a stop on its way: it waits for nothing, takes the next version over what is held, and joins a stop that is
 * not answered. An open change loses its version, and is planned anew behind it. Pure.
 */
export function withStop(
  buy: MediaBuy,
  cause: StopCause,
  { facts, at, inHandUntil }: Planning,
  state: 'paused' | 'ended' = cause.to_status === 'paused' ? 'paused' : 'ended',
): MediaBuy {
  const version = adVersionOf(buy) + 1;
  const order = adOrderOf(buy, buy.stop?.order.state === 'ended' ? 'ended' : state, version, facts);
  const { open_change } = buy;
  const isPause = cause.to_status === 'paused';
  return {
    ...buy,
    ...{ ad_version: version, held: holdingOf(buy) },
    stop: { order, causes: [...(buy.stop?.causes ?? []), cause], opened_at: buy.stop?.opened_at ?? at },
    ...(open_change !== undefined && withOvertaken(buy, open_change, { version, isPause })),
    ...{ order_due_at: inHandUntil, order_urgency: 0 },
  };
}

/** Whether a task has a change or a stop of its own on the way. */
export function hasPart({ open_change, stop }: MediaBuy, task_id: string): boolean {
  return open_change?.task_id === task_id || stop?.causes.some((cause) => cause.task_id === task_id) === true;
}

/** Whether the ad server has been told something that it has not answered, or is to be. */
export function hasOpen({ open_change, stop }: Pick<MediaBuy, 'open_change' | 'stop'>): boolean {
  return (open_change ?? null) !== null || (stop ?? null) !== null;
}

/**
 * Whether what is open is somebody's change of the buy: an update, or a stop that moves it. Whoever knows the buy as it was before may not
 * build on that; what the system tells the ad server besides, of creatives, takes nothing from what a buyer has seen. Pure.
 */
export function isBeingChanged({ open_change, stop }: Pick<MediaBuy, 'open_change' | 'stop'>): boolean {
  return open_change?.kind === 'update' || stop?.causes.some(({ to_status }) => to_status !== null) === true;
}

/**
 * The buy with what the ad server does not know yet as a change of the system's; undefined when it knows all. What is less
 * than it does now, an end or a pause, is a stop. Pure.
 */
export function withDrift(buy: MediaBuy, planning: Planning): MediaBuy | undefined {
  const holding = holdingOf(buy);
  if (hasOpen(buy) || holding === null || holding.state === 'ended') return undefined;
  const state = adOrderStateOf(buy);
  const { digest } = adOrderOf(buy, state, adVersionOf(buy), planning.facts);
  if (digest === holding.digest || digest === buy.refused_digest) return undefined;
  if (state === 'ended' || (state === 'paused' && holding.state === 'running')) {
    return withStop(buy, BY_SYSTEM, planning, state);
  }
  return withOpenChange(buy, { kind: 'system', task_id: null }, planning);
}

/** What the ad server is told of a buy that has come to stand so already. */
export const BY_SYSTEM: StopCause = { task_id: null, to_status: null, action: 'told', actor: 'system', note: null };

/** The buy as it would be once the change holds, and the state in which the ad server is to have it. */
function foreseen(
  buy: MediaBuy,
  { kind, change }: OpenChange,
  readiness: Planning['readiness'],
): { next: MediaBuy; state: AdOrderState } {
  switch (kind) {
    case 'hold':
      return { next: buy, state: 'held' };
    case 'run':
      return { next: buy, state: isToRun(buy) && !isOnHold(buy) ? 'running' : 'paused' };
    case 'release':
      return { next: buy, state: isOnHold(buy) ? 'paused' : 'running' };
    case 'system':
      return { next: buy, state: adOrderStateOf(buy) };
    case 'update': {
      const changed = change === undefined ? buy : withTerms(buy, change);
      const next = change?.resumes === true ? withResumption(changed) : changed;
      if (change?.status === 'active' || change?.status === 'paused') {
        return { next, state: change.status === 'active' && !isOnHold(buy) ? 'running' : 'paused' };
      }
      return { next, state: couldRun(next, readiness) ? 'running' : adOrderStateOf(next) };
    }
  }
}

/** Whether a buy that is held, and that its task has committed, lacks nothing any more but its start. Pure. */
export function couldRun(buy: MediaBuy, readiness: Planning['readiness']): boolean {
  const holding = holdingOf(buy)?.state;
  // What was told ahead of its start, and stood still since, is told anew.
  const isStill = holding === 'held' || holding === 'paused';
  const mayRun = isToRun(buy) && isStill && buy.is_uncommitted !== true && !isOnHold(buy);
  if (!mayRun || readiness.nowMs >= Date.parse(buy.end_time)) return false;
  const reason = reasonToWait(buy, { ...readiness, awaitsApproval: awaitsApproval(buy) });
  return reason === null || reason === 'start_time';
}

/**
 * A cut of what may be spent goes before all that is no stop: a smaller budget, a package that is paused, and what the system tells,
 * which may be that a creative must not be shown any more.
 */
function urgencyOf(buy: MediaBuy, next: MediaBuy, kind: OpenChange['kind']): number {
  if (kind === 'system' || next.total_budget_minor < buy.total_budget_minor) return 1;
  const wasPaused = new Set(buy.packages.flatMap(({ package_id, paused }) => (paused ? [package_id] : [])));
  const isPaused = next.packages.some(({ package_id, paused }) => paused && !wasPaused.has(package_id));
  return isPaused && next.total_budget_minor === buy.total_budget_minor ? 1 : 2;
}
