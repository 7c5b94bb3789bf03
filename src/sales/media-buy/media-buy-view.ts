import { z } from 'zod';
import { formatMoney } from '../../platform/money.ts';
import { TaskId } from '../../platform/task-id.ts';
import { creativeIdOf } from '../creative/creative-ref.ts';
import { validActions } from './buyer-actions.ts';
import { MediaBuyId } from './media-buy-id.ts';
import { MediaBuyStatus, PendingReason } from './media-buy.ts';
import type { MediaBuy, MediaBuyEvent } from './media-buy.ts';
import { lineEnd, lineStart } from './media-buy-package.ts';
import type { MediaBuyPackage } from './media-buy-package.ts';

/** A package as answered. Amounts are decimals of the buy's `currency`. */
export const PackageView = z.object({
  package_id: z.string(),
  buyer_ref: z.string().optional(),
  product_id: z.string(),
  product_name: z.string(),
  delivery_type: z.enum(['guaranteed', 'non_guaranteed']),
  pricing_option_id: z.string(),
  pricing_model: z.enum(['cpm', 'cpm-auction', 'flat-fee']),
  price: z.number().optional(),
  floor: z.number().optional(),
  bid_price: z.number().optional(),
  budget: z.number(),
  targeting_overlay: z.record(z.string(), z.unknown()).optional(),
  creative_ids: z.array(z.string()),
  paused: z.boolean(),
  /** From when it may run, of one that was added or has a start of its own; absent: from the buy's start. */
  start_time: z.string().optional(),
  /** Until when, of one with an end of its own; absent: until the buy's end. */
  end_time: z.string().optional(),
});
export type PackageView = z.infer<typeof PackageView>;

/** A media buy as answered (rules C.resources.media-buy, B9, without history and impairments). */
export const MediaBuyView = z.object({
  media_buy_id: MediaBuyId,
  buyer_ref: z.string(),
  status: MediaBuyStatus,
  pending_reason: PendingReason.optional(),
  currency: z.string(),
  total_budget: z.number(),
  start_time: z.string(),
  end_time: z.string(),
  packages: z.array(PackageView),
  valid_actions: z.array(z.string()),
  revision: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type MediaBuyView = z.infer<typeof MediaBuyView>;

/** One thing that happened to a buy, as answered. */
export const HistoryView = z.object({
  at: z.string(),
  action: z.string(),
  actor: z.enum(['buyer', 'seller', 'system']),
  from_status: MediaBuyStatus.optional(),
  to_status: MediaBuyStatus,
  note: z.string().optional(),
  task_id: TaskId.optional(),
  affected_packages: z.array(z.string()).optional(),
});
export type HistoryView = z.infer<typeof HistoryView>;

/** The stored buy in the wire's spelling (rule N2); what is null in the store is absent on the wire. */
export function toMediaBuyView(buy: MediaBuy): MediaBuyView {
  return {
    media_buy_id: buy.media_buy_id,
    buyer_ref: buy.buyer_ref,
    status: buy.status,
    ...(buy.status === 'pending' && buy.pending_reason !== null && { pending_reason: buy.pending_reason }),
    currency: buy.currency,
    total_budget: formatMoney(buy.total_budget_minor, buy.currency),
    start_time: buy.start_time,
    end_time: buy.end_time,
    packages: buy.packages.map((line) => toPackageView(line, buy)),
    valid_actions: validActions(buy),
    revision: buy.revision,
    created_at: buy.created_at,
    updated_at: buy.updated_at,
  };
}

/** The same for people at the seller, who tell the creatives of one account from those of another: `creative_ids` are their names. */
export function toSellersView(buy: MediaBuy): MediaBuyView {
  const view = toMediaBuyView(buy);
  const nameOf = new Map(buy.packages.map(({ package_id, creative_ids }) => [package_id, creative_ids]));
  return {
    ...view,
    packages: view.packages.map((line) => ({
      ...line,
      creative_ids: nameOf.get(line.package_id) ?? line.creative_ids,
    })),
  };
}

/** The stored event likewise. */
export function toHistoryView(event: MediaBuyEvent): HistoryView {
  const { at, action, actor, from_status, to_status, note, task_id, affected_packages } = event;
  return {
    ...{ at, action, actor, to_status },
    ...(from_status !== null && { from_status }),
    ...(note !== null && { note }),
    ...(task_id !== null && { task_id }),
    ...(affected_packages !== undefined && { affected_packages }),
  };
}

function toPackageView(line: MediaBuyPackage, buy: MediaBuy): PackageView {
  const amount = (minor: number) => formatMoney(minor, buy.currency);
  const [starts, ends] = [lineStart(buy, line), lineEnd(buy, line)];
  return {
    package_id: line.package_id,
    ...(line.buyer_ref !== null && { buyer_ref: line.buyer_ref }),
    product_id: line.product_id,
    product_name: line.product_name,
    delivery_type: line.delivery_type,
    pricing_option_id: line.pricing_option_id,
    pricing_model: line.pricing_model,
    ...(line.price_minor !== null && { price: amount(line.price_minor) }),
    ...(line.floor_minor !== null && { floor: amount(line.floor_minor) }),
    ...(line.bid_price_minor !== null && { bid_price: amount(line.bid_price_minor) }),
    budget: amount(line.budget_minor),
    ...(line.targeting_overlay !== null && { targeting_overlay: line.targeting_overlay }),
    creative_ids: line.creative_ids.map(creativeIdOf),
    paused: line.paused,
    ...(starts > buy.start_time && { start_time: starts }),
    ...(ends < buy.end_time && { end_time: ends }),
  };
}
