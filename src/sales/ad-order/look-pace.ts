import { HOUR_MS } from '../../platform/hours.ts';
import type { CourierDependencies } from './courier-dependencies.ts';

/** Orders that stand as told are looked at so many times an hour, all together: by turns, where there are more. */
const LOOKS_PER_HOUR = 10;
/** How often a process counts the orders, in milliseconds; in between it adds those that it begins itself. */
const COUNT_EVERY_MS = 60_000;

const counts = new WeakMap<object, { orders: number; atMs: number }>();

/**
 * How long after a look an order is looked at again of itself, in milliseconds: an hour, or longer where there are many.
 * @param begun Orders that the caller adds.
 */
export async function lookEveryMs(
  { adOrders, clock }: Pick<CourierDependencies, 'adOrders' | 'clock'>,
  begun = 0,
): Promise<number> {
  const nowMs = clock.now();
  let known = counts.get(adOrders);
  if (known === undefined || Math.abs(nowMs - known.atMs) >= COUNT_EVERY_MS) {
    known = { orders: await adOrders.count({ look_due_at: { gt: '' } }), atMs: nowMs };
    counts.set(adOrders, known);
  }
  const { orders } = known;
  known.orders += begun;
  return Math.max(HOUR_MS, (orders * HOUR_MS) / LOOKS_PER_HOUR);
}
