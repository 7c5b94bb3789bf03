import { z } from 'zod';
import { strippedSchema } from '../../../platform/store/tolerant-schema.ts';
import { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import { OrderFault, AdOrderRow } from '../../../sales/ad-order/ad-order-row.ts';
import { AdServerHealth } from '../../../sales/ad-order/breaker.ts';
import { isGivenUp } from '../../../sales/ad-order/given-up.ts';
import type { OrderInFull } from '../../../sales/ad-order/order-desk.ts';
import { holdingOf } from '../../../sales/media-buy/holding.ts';
import { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { Holding, OpenChangeKind, StopCause } from '../../../sales/media-buy/open-change.ts';
import { IdOfTask } from '../fields.ts';

/** What an order waits for the ad server with, and why. */
export const WaitingView = z.object({
  /** `pause` and `end` go before changes. */
  kind: z.enum([...OpenChangeKind.options, 'pause', 'end']),
  /** Whose task waits; null for the system's own and the seller's. */
  task_id: IdOfTask.nullable(),
  /** Null for a change that is planned anew after a stop, or whose smaller budget is held against what was spent. */
  version: z.int().nullable(),
  since: z.string(),
  next_try_at: z.string().nullable(),
  /** Tries in a row without an answer. */
  tries: z.int(),
  last_fault: OrderFault.nullable(),
  given_up: z.boolean(),
});
export type WaitingView = z.infer<typeof WaitingView>;

/** A buy's order as an operator sees it in lists. */
export const OrderView = MediaBuy.pick({
  ...{ media_buy_id: true, organization_id: true, buyer_ref: true, status: true },
}).extend({
  /** Null while nothing waits for the ad server. */
  waiting: WaitingView.nullable(),
});
export type OrderView = z.infer<typeof OrderView>;

/** One in full. */
export const OrderInFullView = OrderView.extend({
  /** What the ad server was last heard to hold; null before it has taken anything. */
  held: Holding.nullable(),
  open_change: z
    .object({ kind: OpenChangeKind, task_id: IdOfTask.nullable(), version: z.int().nullable(), opened_at: z.string() })
    .nullable(),
  stop: z
    .object({ state: AdOrder.shape.state, version: z.int(), causes: z.array(StopCause), opened_at: z.string() })
    .nullable(),
  ...strippedSchema(AdOrderRow).pick({
    native: true,
    lines: true,
    differences: true,
    looked_at: true,
    look_due_at: true,
  }).shape,
  /** Since when it is known to stand otherwise than told. */
  drift_since: z.string().nullable(),
  /** As it is told now, or was told last, or is to be told next. */
  order: strippedSchema(AdOrder),
  /** What packages delivered beyond what is billed; amounts in minor units of the order's currency. */
  over_delivery: z.array(
    z.object({ package_id: z.string(), impressions: z.int(), clicks: z.int(), spend_minor: z.int() }),
  ),
});
export type OrderInFullView = z.infer<typeof OrderInFullView>;

/** Where an order stands otherwise than it was told, as last seen. */
export const DriftView = AdOrderRow.pick({ media_buy_id: true, looked_at: true, differences: true }).extend({
  drift_since: z.string().nullable(),
  /** Lines that a person at the ad server has brought into their state. */
  by_hand: z.array(z.object({ package_id: z.string(), state: z.string() })),
});
export type DriftView = z.infer<typeof DriftView>;

/** An ad server as an operator sees it. */
export const AdServerView = z.object({
  id: z.string(),
  ...AdServerHealth.pick({ state: true, last_fault: true, probe_due_at: true }).shape,
  since: z.string().nullable(),
  orders_waiting: z.int(),
});
export type AdServerView = z.infer<typeof AdServerView>;

/** Pure. */
export function toOrderView(buy: MediaBuy, row: AdOrderRow | undefined): OrderView {
  const { media_buy_id, organization_id, buyer_ref, status } = buy;
  return { media_buy_id, organization_id, buyer_ref, status, waiting: waitingOf(buy, row) };
}

function waitingOf(buy: MediaBuy, row: AdOrderRow | undefined): WaitingView | null {
  const { stop, open_change, order_due_at = null } = buy;
  const tried = { next_try_at: order_due_at, tries: row?.faults ?? 0, last_fault: row?.last_fault ?? null };
  const given_up = isGivenUp(buy);
  if (stop) {
    const task_id = stop.causes.find((cause) => cause.task_id !== null)?.task_id ?? null;
    const kind = stop.order.state === 'ended' ? 'end' : 'pause';
    return { kind, task_id, version: stop.order.version, since: stop.opened_at, ...tried, given_up };
  }
  if (!open_change) return null;
  const { kind, task_id, order, opened_at: since } = open_change;
  return { kind, task_id, version: order?.version ?? null, since, ...tried, given_up };
}

/** Pure. */
export function toOrderInFullView({ buy, row, order, over_delivery }: OrderInFull): OrderInFullView {
  const { open_change, stop } = buy;
  return {
    ...toOrderView(buy, row),
    held: holdingOf(buy),
    open_change: open_change
      ? {
          ...{ kind: open_change.kind, task_id: open_change.task_id, opened_at: open_change.opened_at },
          version: open_change.order?.version ?? null,
        }
      : null,
    stop: stop
      ? {
          ...{ state: stop.order.state, version: stop.order.version },
          ...{ causes: stop.causes, opened_at: stop.opened_at },
        }
      : null,
    ...{ native: row?.native ?? null, lines: row?.lines ?? [], differences: row?.differences ?? [] },
    ...{ looked_at: row?.looked_at ?? null, look_due_at: row?.look_due_at ?? null },
    drift_since: row?.drift_since ?? null,
    order,
    over_delivery,
  };
}

/** Pure. */
export function toDriftView({
  media_buy_id,
  looked_at,
  differences,
  drift_since = null,
  lines,
}: AdOrderRow): DriftView {
  const by_hand = lines.filter((line) => line.by_hand).map(({ package_id, state }) => ({ package_id, state }));
  return { media_buy_id, looked_at, differences, drift_since, by_hand };
}
