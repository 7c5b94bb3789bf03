import { isOnHold, withoutRelease } from '../media-buy/seller-hold.ts';
import { AppError } from '../../platform/errors.ts';
import type { PutAnswer, Reason } from '../ad-server/put-answer.ts';
import { applyChange } from '../media-buy/apply-change.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { OpenChange, Stop, StopCause } from '../media-buy/open-change.ts';
import { isLegalBuyTransition, isTerminalBuy, overRefusal, transitionBuy } from '../media-buy/transitions.ts';
import { staysPaused, withoutResumption } from '../media-buy/to-run.ts';
import { adVersionOf } from '../media-buy/holding.ts';
import { givenUpError, isGivenUp } from './given-up.ts';
import { BY_SYSTEM, countedNext, planned, withStop } from './open.ts';
import type { Planning } from './open.ts';
import { refusalOfReasons } from './refusal.ts';
import { refusedAs, withVerdict } from './verdict.ts';

/** An answer of the ad server's that decides something. */
export type Decision = Exclude<PutAnswer, { outcome: 'pending' }>;

/**
 * The buy once the ad server has answered for a version; undefined when that version is not the one that is open *now*: what was
 * overtaken says nothing of the present. Pure.
 */
export function heard(buy: MediaBuy, version: number, decision: Decision, planning: Planning): MediaBuy | undefined {
  if (buy.stop?.order.version === version) return afterStop(buy, buy.stop, decision, planning);
  const { open_change: open } = buy;
  if (open?.order?.version !== version) return undefined;
  switch (decision.outcome) {
    case 'stale':
      return planned({ ...buy, ad_version: Math.max(adVersionOf(buy), decision.version) }, planning);
    case 'done':
      if (open.cut?.paused_at === null) return countedNext(holds(buy, open.order), planning);
      return afterDone(holds(closed(buy), open.order), open, planning);
    case 'refused':
      return afterRefusal(closed(buy), open, decision.reasons, planning);
  }
}

/** The buy whose open change is refused for our own reasons, before the ad server was told it. Pure. */
export function refusedOpen(buy: MediaBuy, reasons: readonly Reason[], planning: Planning): MediaBuy {
  return buy.open_change ? afterRefusal(closed(buy), buy.open_change, reasons, planning) : buy;
}

function afterDone(buy: MediaBuy, open: OpenChange, { at }: Planning): MediaBuy {
  const { kind, task_id, change, approval } = open;
  const done = { outcome: 'done', at } as const;
  if (kind === 'update' && change !== undefined && task_id !== null) {
    return withVerdict(applyChange(buy, change, { task_id, at, approval }), task_id, done);
  }
  // Also of one that its buyer has paused meanwhile.
  if (kind === 'hold' && open.awaits_approval === true && !isTerminalBuy(buy.status))
    return { ...buy, pending_reason: 'approval' };
  if (kind === 'release') return released(buy, at);
  return kind === 'run' ? withVerdict(buy, task_id, done) : buy;
}

/** The buy runs again that the seller held back. */
function released(buy: MediaBuy, at: string): MediaBuy {
  const free: MediaBuy = { ...buy, on_hold: null };
  // Held back anew while it was on its way, or over by now.
  if (isOnHold(buy)) return buy;
  if (free.status !== 'paused') return free;
  return transitionBuy(free, 'active', { at, action: 'resumed', actor: 'seller', note: 'released by the seller' });
}

/** What was refused never held. A buy that may not run is given back; a change that may not be leaves the buy as it was. */
function afterRefusal(buy: MediaBuy, open: OpenChange, reasons: readonly Reason[], planning: Planning): MediaBuy {
  const { at } = planning;
  const error = refusalOfReasons(reasons, buy.currency);
  const verdict = refusedAs(error, at);
  if (open.kind === 'update') return withVerdict(buy, open.task_id, verdict);
  // Its buyer may resume it, and is told then what the ad server says.
  if (open.kind === 'release') return { ...buy, on_hold: null };
  if (open.kind === 'system') return { ...buy, refused_digest: open.order?.digest ?? null };
  if (isTerminalBuy(buy.status)) return withVerdict(buy, open.task_id, verdict);
  const to = isLegalBuyTransition(buy.status, 'rejected') ? 'rejected' : 'canceled';
  const cause = { at, action: 'rejected', actor: 'seller', note: error.message, task_id: open.task_id } as const;
  const over = withVerdict(transitionBuy(buy, to, cause), open.task_id, verdict);
  // Nothing of a first version holds; of a later one, the version before does, and is given back.
  return open.kind === 'hold' ? over : withStop(over, BY_SYSTEM, planning);
}

const NOTHING_DUE = { order_due_at: null, order_urgency: null } as const;

function afterStop(buy: MediaBuy, stop: Stop, decision: Decision, planning: Planning): MediaBuy {
  const { at } = planning;
  if (decision.outcome === 'stale') return toldAgain(buy, stop, planning, decision.version);
  if (decision.outcome === 'refused' && mustHold(buy, stop)) return toldAgain(buy, stop, planning);
  const free: MediaBuy = { ...buy, stop: null, ...NOTHING_DUE };
  if (decision.outcome === 'refused') {
    const verdict = refusedAs(refusalOfReasons(decision.reasons, buy.currency), at);
    const told = stop.causes.reduce((next, { task_id }) => withVerdict(next, task_id, verdict), free);
    return planned({ ...told, refused_digest: stop.order.digest }, planning);
  }
  // A buy that was over when the answer came stays as it ended, whatever was on its way.
  const over = isTerminalBuy(buy.status) ? refusedAs(overError(buy), at) : undefined;
  const stopped = stop.causes.reduce(
    (next, cause) => (over === undefined ? afterCause(next, cause, at) : withVerdict(next, cause.task_id, over)),
    holds(free, stop.order),
  );
  // Its buyer has paused it while a release was on its way.
  if (stopped.open_change?.kind === 'release' && staysPaused(stopped)) return { ...stopped, open_change: null };
  const { open_change: open } = stopped;
  if (stop.order.state !== 'ended' || !isTerminalBuy(stopped.status)) return planned(stopped, planning);
  if (open === undefined || open === null) return stopped;
  const refused = refusedAs(overError({ ...stopped, stop }), at);
  return withVerdict({ ...stopped, open_change: null }, open.task_id, refused);
}

/** Why nothing is made any more of what is still open about a buy. */
function overError(buy: MediaBuy): AppError {
  if (isGivenUp(buy)) return givenUpError();
  return overRefusal(buy) ?? new AppError('INVALID_STATE', 'the media buy is over');
}

/**
 * Whether a stop that is refused is told until it holds. What is over is to end. And where a change or another stop was open when it
 * came, that may have been taken, unheard: nobody can be told what holds until the stop does. What the seller holds back stands still.
 */
function mustHold(buy: MediaBuy, { causes }: Stop): boolean {
  const { status, open_change } = buy;
  if (isOnHold(buy)) return true;
  return isTerminalBuy(status) || (open_change ?? null) !== null || causes.length > 1;
}

/** The same stop under the next version, above what the ad server knows. */
function toldAgain(buy: MediaBuy, stop: Stop, planning: Planning, known = 0): MediaBuy {
  const { causes, opened_at } = stop;
  const [first] = causes;
  if (first === undefined) throw new Error('a stop without a cause');
  const free = { ...buy, ad_version: Math.max(adVersionOf(buy), known), stop: null };
  const again = withStop(free, first, planning, stop.order.state === 'ended' ? 'ended' : 'paused');
  return again.stop ? { ...again, stop: { ...again.stop, causes, opened_at } } : again;
}

/** What a stop that holds makes of the buy, for one of those who wanted it. */
function afterCause(buy: MediaBuy, { task_id, to_status, action, actor, note }: StopCause, at: string): MediaBuy {
  const free = to_status === 'paused' ? withoutResumption(actor === 'buyer' ? withoutRelease(buy) : buy) : buy;
  const told = withVerdict(free, task_id, { outcome: 'done', at });
  if (to_status === null) return told;
  const affected = { affected_packages: buy.packages.map(({ package_id }) => package_id), revision: buy.revision + 1 };
  if (isLegalBuyTransition(buy.status, to_status)) {
    const moved = transitionBuy(told, to_status, { at, action, actor, note, task_id });
    return withLastEvent(moved, task_id === null ? {} : affected);
  }
  // Another's stop has brought it there, or further.
  const { status } = buy;
  const event = { at, action, actor, note, task_id, from_status: status, to_status: status };
  return { ...told, history: [...buy.history, { ...event, ...(task_id !== null && affected) }] };
}

function withLastEvent(buy: MediaBuy, more: Partial<MediaBuy['history'][number]>): MediaBuy {
  const last = buy.history.at(-1);
  return last === undefined ? buy : { ...buy, history: [...buy.history.slice(0, -1), { ...last, ...more }] };
}

function closed(buy: MediaBuy): MediaBuy {
  return { ...buy, open_change: null, ...NOTHING_DUE };
}

function holds(buy: MediaBuy, { version, digest, state }: NonNullable<OpenChange['order']>): MediaBuy {
  return { ...buy, held: { version, digest, state } };
}
