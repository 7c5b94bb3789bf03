import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { Product } from './product.ts';

/** How far a flight may miss a limit by, for clocks that differ: five minutes. */
const TOLERANCE_MS = 5 * 60_000;

/** One limit that a flight does not keep, in words for the buyer. */
export interface FlightProblem {
  /** Which end of the flight to change. */
  end: 'start' | 'end';
  message: string;
  suggestion: string;
}

/** The first instant at which something ordered at `orderedMs` can run in full: the longest lead time among the products. */
export function earliestStart(products: readonly Product[], orderedMs: number): number {
  return orderedMs + Math.max(0, ...products.map(({ flight }) => flight.lead_time_days)) * DAY_MS;
}

/**
 * What of a product's `flight` limits a flight does not keep: the days between order and start, and how many days it runs,
 * a begun day counting whole. Pure; instants in milliseconds.
 */
export function flightProblems(
  { product_id, flight }: Product,
  { orderedMs, startMs, endMs }: { orderedMs: number; startMs: number; endMs: number },
): FlightProblem[] {
  const { lead_time_days, min_days, max_days } = flight;
  const days = Math.ceil((endMs - startMs - TOLERANCE_MS) / DAY_MS);
  const earliestMs = orderedMs + lead_time_days * DAY_MS;
  const problems: FlightProblem[] = [];
  if (startMs < earliestMs - TOLERANCE_MS) {
    const message = `product ${product_id} starts ${count(lead_time_days)} after the order at the earliest`;
    problems.push({ end: 'start', message, suggestion: `${toTimestamp(earliestMs)} or later, or asap` });
  }
  if (days < min_days) {
    const message = `product ${product_id} runs for ${count(min_days)} or more, and this flight has ${count(days)}`;
    problems.push({ end: 'end', message, suggestion: `${toTimestamp(startMs + min_days * DAY_MS)} or later` });
  }
  if (days > max_days) {
    const message = `product ${product_id} runs for at most ${count(max_days)}, and this flight has ${count(days)}`;
    problems.push({ end: 'end', message, suggestion: `${toTimestamp(startMs + max_days * DAY_MS)} or earlier` });
  }
  return problems;
}

function count(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
