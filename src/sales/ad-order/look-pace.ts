import { HOUR_MS } from '../../platform/hours.ts';
import type { CourierDependencies } from './courier-dependencies.ts';

/** Orders that stand as told are looked at so many times an hour, all together: by turns, where there are more. */
const LOOKS_PER_HOUR = 10;

/** How long after a look an order is looked at again of itself, in milliseconds: an hour, or longer where there are many. */
export async function lookEveryMs({ adOrders }: Pick<CourierDependencies, 'adOrders'>): Promise<number> {
  const orders = await adOrders.count({ look_due_at: { gt: '' } });
  return Math.max(HOUR_MS, (orders * HOUR_MS) / LOOKS_PER_HOUR);
}
