import { hasOpen, withDrift, withOpenChange, withStop } from './open.ts';
import type { Planning } from './open.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { awaitsApproval, reasonToWait, settleReadiness } from '../media-buy/readiness.ts';
import type { ReadinessFacts } from '../media-buy/readiness.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';

/** What a buy is looked at with: whether it can run, and what the ad server is to be told. */
export interface Look {
  readiness: Omit<ReadinessFacts, 'awaitsApproval'>;
  planning: Planning;
}

/**
 * The buy after a look at it: what it waits for, and what of it the ad server does not know yet as an open change. One
 * that could run is told to run before it is `active`. Undefined when nothing changes. Pure.
 */
export function settled(buy: MediaBuy, { readiness, planning }: Look): MediaBuy | undefined {
  const facts = { ...readiness, awaitsApproval: awaitsApproval(buy) };
  const moved = settleReadiness(buy, facts, planning.at);
  const next = moved ?? buy;
  if (isTerminalBuy(next.status) && hasOpen(next)) return withEnd(next, planning) ?? moved;
  return withRun(next, facts, planning) ?? withDrift(next, planning) ?? moved;
}

/** What is over is ended, whatever is open about it. */
function withEnd(buy: MediaBuy, planning: Planning): MediaBuy | undefined {
  if (buy.stop?.order.state === 'ended') return undefined;
  return withStop(buy, { task_id: null, to_status: null, action: 'told', actor: 'system', note: null }, planning);
}

function withRun(buy: MediaBuy, facts: ReadinessFacts, planning: Planning): MediaBuy | undefined {
  const isReady = buy.status === 'pending' && holdingOf(buy)?.state === 'held' && buy.is_uncommitted !== true;
  if (!isReady || hasOpen(buy) || facts.nowMs >= Date.parse(buy.end_time)) return undefined;
  const reason = reasonToWait(buy, facts);
  if (reason !== null && reason !== 'start_time') return undefined;
  return withOpenChange(buy, { kind: 'run', task_id: null }, planning);
}
