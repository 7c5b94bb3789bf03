import type { TaskId } from '../../platform/task-id.ts';
import { BY_SYSTEM, couldRun, hasOpen, withDrift, withOpenChange, withStop } from './open.ts';
import type { Planning } from './open.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { awaitsApproval, settleReadiness } from '../media-buy/readiness.ts';
import { isOnHold } from '../media-buy/seller-hold.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';

/**
 * The buy after a look at it: what it waits for, and what of it the ad server does not know yet as an open change. One
 * that could run is told to run before it is `active`. Undefined when nothing changes. Pure.
 */
export function settled(buy: MediaBuy, planning: Planning): MediaBuy | undefined {
  const facts = { ...planning.readiness, awaitsApproval: awaitsApproval(buy) };
  const moved = settleReadiness(buy, facts, planning.at);
  const next = moved ?? buy;
  if (isTerminalBuy(next.status) && hasOpen(next)) return withEnd(next, planning) ?? moved;
  return (
    withoutWithdrawn(next, planning) ??
    withRelease(next, planning) ??
    withRun(next, planning) ??
    withDrift(next, planning) ??
    moved
  );
}

/**
 * The buy whose open change would show a creative that is approved no more, with all that runs paused first: that goes out at
 * once, also over an order that was taken and not heard of. The change is planned anew behind it. Undefined for any other. Pure.
 */
export function withoutWithdrawn(buy: MediaBuy, planning: Planning): MediaBuy | undefined {
  const order = buy.open_change?.order;
  if (buy.stop || order?.state !== 'running') return undefined;
  const shown = order.lines.flatMap(({ creatives }) => creatives);
  const isShowable = shown.every((one) => planning.facts.approvedVersion(one.creative_id) === one.version);
  return isShowable ? undefined : withStop(buy, BY_SYSTEM, planning, 'paused');
}

/**
 * The buy whose create has passed its point of no return: it may run from now on, and is told to where nothing keeps it from
 * it. What can run at once is the task's own to wait for. Pure.
 */
export function committed(buy: MediaBuy, task_id: TaskId, planning: Planning): MediaBuy {
  const free: MediaBuy = { ...buy, is_uncommitted: false };
  const next = settled(free, planning) ?? free;
  const { open_change } = next;
  const isAtOnce = open_change?.kind === 'run' && Date.parse(next.start_time) <= planning.readiness.nowMs;
  return isAtOnce ? { ...next, open_change: { ...open_change, task_id } } : next;
}

/** What is over is ended, whatever is open about it. */
function withEnd(buy: MediaBuy, planning: Planning): MediaBuy | undefined {
  if (buy.stop?.order.state === 'ended') return undefined;
  return withStop(buy, BY_SYSTEM, planning);
}

/** What was released resumes where it ran, as soon as nothing else of it is on its way. */
function withRelease(buy: MediaBuy, planning: Planning): MediaBuy | undefined {
  const { on_hold, status } = buy;
  if (!on_hold || isOnHold(buy) || hasOpen(buy)) return undefined;
  if (on_hold.resumes && status === 'paused') return withOpenChange(buy, { kind: 'release', task_id: null }, planning);
  const free: MediaBuy = { ...buy, on_hold: null };
  return settled(free, planning) ?? free;
}

function withRun(buy: MediaBuy, planning: Planning): MediaBuy | undefined {
  if (hasOpen(buy) || !couldRun(buy, planning.readiness)) return undefined;
  return withOpenChange(buy, { kind: 'run', task_id: null }, planning);
}
