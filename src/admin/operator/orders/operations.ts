import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { isAdServerFault } from '../../../sales/ad-server/faults.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { IdOfMediaBuy, pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { AdServerView, DriftView, OrderInFullView, OrderView } from './order-view.ts';
import { toDriftView, toOrderInFullView, toOrderView } from './order-view.ts';

const OrderPath = z.strictObject({ media_buy_id: IdOfMediaBuy });

/** What waits for the ad server, in the order in which it is told, and whether that can be reached. */
export const listOrders = operation({
  method: 'get',
  path: '/orders',
  summary: 'Show the orders that wait for the ad server, and why.',
  role: 'viewer',
  query: z.strictObject(pageQuery),
  answer: z.object({ orders: z.array(OrderView), ad_servers: z.array(AdServerView), ...pageView }),
  async handle({ query: { limit, cursor } }, { orders }) {
    const [page, ad_servers] = await Promise.all([orders.waiting({ limit, after: cursor }), adServers({ orders })]);
    const rows = await orders.rowsOf(page.rows.map(({ media_buy_id }) => media_buy_id));
    const rowOf = (id: string) => rows.find(({ media_buy_id }) => media_buy_id === id);
    const views = page.rows.map((buy) => toOrderView(buy, rowOf(buy.media_buy_id)));
    return { orders: views, ad_servers, ...pageEnd(page.cursor) };
  },
});

/** Orders that stand otherwise at the ad server than they were told, or that a person has touched there, the longest first. */
export const listDrift = operation({
  method: 'get',
  path: '/orders/drift',
  summary: 'Show the orders that stand otherwise at the ad server, the longest first.',
  role: 'viewer',
  query: z.strictObject(pageQuery),
  answer: z.object({ orders: z.array(DriftView), ...pageView }),
  async handle({ query: { limit, cursor } }, { orders }) {
    const page = await orders.drifted({ limit, after: cursor });
    return { orders: page.rows.map(toDriftView), ...pageEnd(page.cursor) };
  },
});

/** One as told, as held, and as last seen there. */
export const showOrder = operation({
  method: 'get',
  path: '/orders/:media_buy_id',
  summary: 'Show an order as told, as held, and as last seen at the ad server.',
  role: 'viewer',
  params: OrderPath,
  answer: OrderInFullView,
  handle: ({ params }, { orders }) => inFull({ orders }, params),
});

/** Has all orders looked at soon that are looked at every hour. */
export const lookAtOrders = operation({
  method: 'post',
  path: '/orders/look',
  summary: 'Look at all orders at the ad server soon.',
  role: 'operator',
  action: 'orders.look_at_all',
  done: ({ orders }) => `Orders that are looked at sooner for it: ${orders}.`,
  /** `orders`: how many were not due yet. */
  answer: z.object({ orders: z.int() }),
  handle: async (_input, { orders }) => ({ orders: await orders.hurryLooks() }),
});

/** Looks at one now. */
export const lookAtOneOrder = operation({
  method: 'post',
  path: '/orders/:media_buy_id/look',
  summary: 'Look at an order at the ad server now.',
  role: 'operator',
  action: 'orders.look',
  done: () => 'The order has been looked at.',
  params: OrderPath,
  answer: OrderInFullView,
  async handle({ params }, { orders }) {
    await orders.look(params.media_buy_id).catch((error: unknown) => {
      if (!isAdServerFault(error)) throw error;
      throw new AppError('SERVICE_UNAVAILABLE', `the ad server could not be read: ${error.message}`, { cause: error });
    });
    return inFull({ orders }, params);
  },
});

/** Tells the ad server one order anew, so that what a person has done to it there is undone. */
export const pushOneOrder = operation({
  method: 'post',
  path: '/orders/:media_buy_id/push',
  summary: 'Tell an order anew, so that what a person has done to it at the ad server is undone.',
  role: 'operator',
  action: 'orders.push',
  done: () => 'The order is told anew.',
  params: OrderPath,
  answer: OrderInFullView,
  async handle({ params }, { orders }) {
    await orders.push(params.media_buy_id);
    return inFull({ orders }, params);
  },
});

/** Gives one up that waits for the ad server: its end is told, its buy canceled, its task fails. */
export const giveUpOneOrder = operation({
  method: 'post',
  path: '/orders/:media_buy_id/give-up',
  summary: 'End an order that waits for the ad server. Its buy is canceled once that end is confirmed.',
  role: 'admin',
  action: 'orders.give_up',
  done: () => 'The order is given up.',
  params: OrderPath,
  body: z.strictObject({
    /** Told to the buyer. */
    reason: Words,
    /** Does not wait for the ad server to confirm the end: tasks fail with `effect: unknown`. */
    force: z.boolean().default(false),
  }),
  answer: OrderInFullView,
  async handle({ params, body: { reason, force } }, { orders }) {
    await orders.giveUp(params.media_buy_id, { reason, isForced: force });
    return inFull({ orders }, params);
  },
});

async function inFull(
  { orders }: Pick<OperatorDeps, 'orders'>,
  { media_buy_id }: z.infer<typeof OrderPath>,
): Promise<OrderInFullView> {
  return toOrderInFullView(await orders.show(media_buy_id));
}

async function adServers({ orders }: Pick<OperatorDeps, 'orders'>): Promise<AdServerView[]> {
  const [states, health] = await Promise.all([orders.states(), orders.health()]);
  const { last_fault = null, probe_due_at = null } = health ?? {};
  return states.map((state) => ({ ...state, last_fault, probe_due_at }));
}
