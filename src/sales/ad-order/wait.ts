import { fromTimestamp } from '../../platform/clock.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';

/** How soon a task looks again at an order that is being told, and how late at one that waits, in milliseconds. */
const SOON_MS = 1_000;
const LATE_MS = 60_000;

/** When a task that waits for an order looks again, in milliseconds, in case that nobody wakes it: soon after the order is due. */
export function askedAgainMs({ order_due_at }: Pick<MediaBuy, 'order_due_at'>, nowMs: number): number {
  const dueMs = typeof order_due_at === 'string' ? fromTimestamp(order_due_at) + SOON_MS : nowMs;
  return Math.min(Math.max(dueMs, nowMs + SOON_MS), nowMs + LATE_MS);
}
