import type { Counters } from '../../platform/metrics/metrics.ts';
import { formatMoney } from '../../platform/money.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';

/** Counts what a write has booked of a buy: all of it once it may run, and what it is raised by. What is cut is taken off nothing. */
export function countBooked({ counters }: { counters: Counters }, before: MediaBuy, after: MediaBuy): void {
  const { currency } = after;
  const booked = bookedOf(after) - bookedOf(before);
  if (booked > 0) counters.add('booked_total', { currency }, formatMoney(booked, currency));
}

function bookedOf({ is_uncommitted, total_budget_minor }: MediaBuy): number {
  return is_uncommitted === true ? 0 : total_budget_minor;
}
