import { fromTimestamp } from '../../platform/clock.ts';
import { ceilHour, DAY_MS, floorHour, HOUR_MS } from '../../platform/hours.ts';
import { RESTATES_HOURS } from './description.ts';
import { hasEnded } from './order-row.ts';
import type { AdOrderRecord } from './order-row.ts';

/** How late data comes for an order that is told to be late. */
const LATE_MS = DAY_MS;

/** How far an order's statement reaches. Milliseconds of the flight. */
export interface StatementReach {
  /** Every bucket that ends by then is in. */
  completeMs: number;
  /** Nothing before it is stated otherwise any more. */
  finalMs: number;
  /** The last instant of which anything was delivered and stated. */
  statedMs: number;
}

/**
 * How far an order is stated when its flight stands at an instant: whole hours, so late as counts are, or a day if it is told to be. Of an order
 * that has ended, all that its flight could still have been is stated as well, and final once no noon hour is open. Pure.
 */
export function reachOf(record: AdOrderRecord, nowMs: number, lagMs: number): StatementReach {
  const { trouble, instructions, native } = record;
  const known = floorHour(nowMs - (trouble.includes('delay') ? LATE_MS : lagMs));
  // A clock that was set back takes nothing back.
  const knownMs = Math.max(known, fromTimestamp(record.stated_until));
  const running = { completeMs: knownMs, finalMs: knownMs - RESTATES_HOURS * HOUR_MS, statedMs: knownMs };
  const isOpenUntil = (endMs: number) => trouble.includes('correct') && knownMs < endMs + DAY_MS;
  const flightEndMs = native === null ? 0 : ceilHour(fromTimestamp(native.end));
  if (!hasEnded(record)) {
    const isOver = native !== null && knownMs >= flightEndMs && !isOpenUntil(flightEndMs);
    return isOver ? { ...running, finalMs: knownMs } : running;
  }
  const last = instructions.at(-1);
  const endedMs = ceilHour(last === undefined ? fromTimestamp(record.created_at) : fromTimestamp(last.at));
  if (trouble.includes('delay') && knownMs < endedMs) return running;
  const completeMs = Math.max(knownMs, endedMs, flightEndMs);
  return {
    completeMs,
    finalMs: isOpenUntil(endedMs) ? running.finalMs : completeMs,
    statedMs: Math.max(knownMs, endedMs),
  };
}
