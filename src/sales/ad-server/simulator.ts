import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CollectionSpec, Store } from '../../platform/collection.ts';
import type { AdServer } from './ad-server.ts';

/** An order as the simulated ad server keeps it. */
export const SimulatedOrder = z.strictObject({
  media_buy_id: z.string(),
  revision: z.int(),
  order_id: z.string(),
  start_time: z.string(),
  end_time: z.string(),
  lines: z.array(
    z.strictObject({
      package_id: z.string(),
      product_id: z.string(),
      budget_minor: z.int(),
      currency: z.string(),
      rate_minor: z.int(),
      pricing_model: z.enum(['cpm', 'cpm-auction', 'flat-fee']),
    }),
  ),
  released_at: z.string().nullable(),
});
export type SimulatedOrder = z.infer<typeof SimulatedOrder>;

export const SimulatedOrders: CollectionSpec<SimulatedOrder> = {
  name: 'simulated_orders',
  key: 'media_buy_id',
  schema: SimulatedOrder,
  indexes: [],
};

/** The embedded ad server: holds whatever is asked for, durably, until it is released. */
export function createSimulator({ store, clock }: { store: Store; clock: Clock }): AdServer {
  const orders = store.collection(SimulatedOrders);
  return {
    async reserve({ media_buy_id, start_time, end_time, lines }) {
      const order_id = `sim-${media_buy_id}`;
      const order = { media_buy_id, revision: 1, order_id, start_time, end_time, lines: [...lines], released_at: null };
      const { inserted } = await orders.insert(order);
      const stored = inserted ? order : await orders.get(media_buy_id);
      if (stored?.released_at != null) return { reserved: false, reason: 'the order has been released' };
      return { reserved: true, order_id };
    },
    async release(media_buy_id) {
      const released_at = toTimestamp(clock.now());
      const none = {
        media_buy_id,
        revision: 1,
        order_id: `sim-${media_buy_id}`,
        start_time: '',
        end_time: '',
        lines: [],
        released_at,
      };
      // The row stands even if nothing was reserved, so that a reservation still under way finds it and is refused.
      const { inserted } = await orders.insert(none);
      if (inserted) return;
      await orders.update(media_buy_id, (order) =>
        order.released_at === null ? { ...order, released_at } : undefined,
      );
    },
  };
}
