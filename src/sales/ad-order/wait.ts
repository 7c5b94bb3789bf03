import { fromTimestamp } from '../../platform/clock.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';

/** The shortest and the longest time until a task looks again at an order that it waits for, in milliseconds. */
const SHORTEST_MS = 200;
const LONGEST_MS = 60_000;

/**
 * When a task that waits for an order looks again, in milliseconds, in case that nobody wakes it: after as long as the order has been
 * waited for already, so that it is soon for one that takes a moment, and seldom in an outage.
 */
export function askedAgainMs({ open_change, stop }: Pick<MediaBuy, 'open_change' | 'stop'>, nowMs: number): number {
  const opened_at = stop?.opened_at ?? open_change?.opened_at;
  const waitedMs = opened_at === undefined ? 0 : nowMs - fromTimestamp(opened_at);
  return nowMs + Math.min(Math.max(waitedMs, SHORTEST_MS), LONGEST_MS);
}
