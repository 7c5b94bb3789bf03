import { toTimestamp } from '../../platform/clock.ts';
import type { MediaBuy, MediaBuyPackage, MediaBuyStatus, PendingReason } from '../../sales/media-buy/media-buy.ts';
import type { Plan, PlannedPackage } from './plan.ts';
import type { CreateMediaBuyRequest } from './schema.ts';

/** The buy a task makes has an id made from the task's, so that the task makes one however often it runs. */
export function mediaBuyIdOf(task_id: string): string {
  return `mb_${task_id.replaceAll('-', '')}`;
}

export interface MediaBuyOrigin {
  task_id: string;
  organization_id: string;
  nowMs: number;
  needsApproval: boolean;
}

/** The row of a new buy (decisions B1, B2). Pure. */
export function newMediaBuy(request: CreateMediaBuyRequest, plan: Plan, origin: MediaBuyOrigin): MediaBuy {
  const { task_id, organization_id, nowMs, needsApproval } = origin;
  const at = toTimestamp(nowMs);
  const media_buy_id = mediaBuyIdOf(task_id);
  const packages = plan.packages.map((planned, i) => newPackage(planned, `${media_buy_id}_p${i + 1}`));
  const pending_reason = reasonToWait(packages, plan, origin);
  const status: MediaBuyStatus = pending_reason === null ? 'active' : 'pending';
  return {
    media_buy_id,
    organization_id,
    buyer_ref: request.buyer_ref,
    open: true,
    status,
    pending_reason,
    currency: plan.currency,
    total_budget_minor: plan.total_budget_minor,
    start_time: toTimestamp(plan.startMs),
    end_time: toTimestamp(plan.endMs),
    brand_manifest: request.brand_manifest,
    packages,
    history: [
      {
        at,
        action: 'created',
        actor: 'buyer',
        from_status: null,
        to_status: status,
        note: needsApproval ? 'waits for approval by the seller' : null,
        task_id,
      },
    ],
    task_id,
    created_at: at,
    updated_at: at,
    revision: 1,
  };
}

function newPackage({ request, product, price }: PlannedPackage, package_id: string): MediaBuyPackage {
  const { currency: _currency, ...terms } = price;
  return {
    package_id,
    buyer_ref: request.buyer_ref ?? null,
    product_id: product.product_id,
    product_name: product.name,
    delivery_type: product.delivery_type,
    ...terms,
    targeting_overlay: request.targeting_overlay ?? null,
    creative_ids: request.creative_ids ?? [],
    paused: false,
  };
}

/** What keeps a new buy from running, the weightiest first. */
function reasonToWait(packages: readonly MediaBuyPackage[], plan: Plan, origin: MediaBuyOrigin): PendingReason | null {
  if (origin.needsApproval) return 'approval';
  if (packages.some((line) => line.creative_ids.length === 0)) return 'creatives';
  return plan.startMs > origin.nowMs ? 'start_time' : null;
}
