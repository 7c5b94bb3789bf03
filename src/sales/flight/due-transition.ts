import { fromTimestamp } from '../../platform/clock.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { isToRun } from '../media-buy/to-run.ts';
import { isTerminalBuy, transitionBuy } from '../media-buy/transitions.ts';
import { awaitsApproval, settleReadiness } from '../media-buy/readiness.ts';
import type { ReadinessFacts } from '../media-buy/readiness.ts';

export interface FlightFacts extends Pick<ReadinessFacts, 'creativeStatus'> {
  /** Where the flight stands, in milliseconds. */
  flightMs: number;
  /** No package can spend any more. */
  isSpent: boolean;
}

/**
 * The buy after what time, money and creatives have made of it, or undefined when nothing changes (rule B2): a flight
 * that has ended or spent everything is completed, one that ended before it could begin is canceled, and a buy that waits
 * is looked at again. Pure.
 * @param at The wall clock's time, for the history.
 */
export function dueTransition(buy: MediaBuy, facts: FlightFacts, at: string): MediaBuy | undefined {
  if (isTerminalBuy(buy.status)) return undefined;
  const cause = { at, actor: 'system' as const };
  if (facts.flightMs >= fromTimestamp(buy.end_time)) {
    if (!isToRun(buy)) return transitionBuy(buy, 'completed', { ...cause, action: 'completed', note: 'flight ended' });
    return transitionBuy(buy, 'canceled', { ...cause, action: 'canceled', note: 'flight ended before it could begin' });
  }
  if (facts.isSpent && buy.status === 'active') {
    return transitionBuy(buy, 'completed', { ...cause, action: 'completed', note: 'budget spent' });
  }
  const { flightMs: nowMs, creativeStatus } = facts;
  return settleReadiness(buy, { nowMs, awaitsApproval: awaitsApproval(buy), creativeStatus }, at);
}
