import { toTimestamp } from '../../platform/clock.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Spoken } from '../../runtime/spoken.ts';
import { partOfIds } from '../../platform/task-id.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { packageId } from '../../sales/media-buy/package-id.ts';
import { transitionBuy } from '../../sales/media-buy/transitions.ts';
import { saidOfBuy } from '../../sales/media-buy/said-of-buy.ts';
import { offeredBy } from '../../sales/targeting/offered-targeting.ts';
import { creativeIdsOf } from './package-creatives.ts';
import type { NameCreative } from './package-creatives.ts';
import { ownFlight, ownTimes } from './package-flight.ts';
import type { MediaBuyPlan, PlannedPackage } from './plan.ts';
import type { CreateMediaBuyRequest } from './schema.ts';

/** The buy a task makes has an id made from the task's, so that the task makes one however often it runs. */
export function mediaBuyIdOf(task_id: TaskId): MediaBuyId {
  return MediaBuyId.parse(`mb_${partOfIds(task_id)}`);
}

export interface MediaBuyOrigin {
  task_id: TaskId;
  /** Default: made from the task's, see {@link mediaBuyIdOf}. */
  media_buy_id?: MediaBuyId;
  organization_id: OrganizationId;
  nowMs: number;
  needsApproval: boolean;
  spoken?: Spoken | undefined;
  nameOf: NameCreative;
}

/** The row of a new buy (rules B1, B2): until the ad server holds its inventory, and its task has committed, it waits. Pure. */
export function newMediaBuy(request: CreateMediaBuyRequest, plan: MediaBuyPlan, origin: MediaBuyOrigin): MediaBuy {
  const {
    task_id,
    media_buy_id = mediaBuyIdOf(task_id),
    organization_id,
    nowMs,
    needsApproval,
    spoken,
    nameOf,
  } = origin;
  const at = toTimestamp(nowMs);
  const packages = plan.packages.map((planned, i) => ({
    ...newPackage(planned, packageId(media_buy_id, i + 1), nameOf),
    ...ownTimes(ownFlight(planned.request, plan), plan),
  }));
  const start_time = toTimestamp(plan.startMs);
  const { po_number, name = '' } = saidOfBuy({ asked: spoken?.extra });
  const buy: MediaBuy = {
    media_buy_id,
    organization_id,
    buyer_ref: request.buyer_ref,
    open: true,
    status: 'pending',
    pending_reason: 'ad_server',
    currency: plan.currency,
    total_budget_minor: plan.total_budget_minor,
    start_time,
    end_time: toTimestamp(plan.endMs),
    brand_manifest: request.brand_manifest,
    ...(spoken?.account_id !== undefined && { account_id: spoken.account_id }),
    ...(spoken?.extra && { asked: askedOf(spoken.extra) }),
    ...(po_number !== undefined && { po_number }),
    ...(name.trim() !== '' && { name }),
    packages,
    history: [
      {
        at,
        action: 'created',
        actor: 'buyer',
        from_status: null,
        to_status: 'pending',
        note: needsApproval ? 'waits for approval by the seller' : null,
        task_id,
      },
    ],
    task_id,
    ...{ ad_version: 0, held: null, is_uncommitted: true, reporting: null },
    created_at: at,
    updated_at: at,
    revision: 1,
    row_version: 1,
  };
  // As one that is paused while it waits (rule B2.resumed): nothing of it runs until its buyer has it resumed.
  const isPaused = request.paused === true;
  return isPaused ? transitionBuy(buy, 'paused', { at, action: 'paused', actor: 'buyer', task_id }) : buy;
}

/** What is said of creatives stands with them. */
function askedOf({ creatives: _creatives, ...asked }: JsonObject): JsonObject {
  return asked;
}

/** A package as it is sold now. Pure. */
export function newPackage(
  { request, product, price }: PlannedPackage,
  package_id: string,
  nameOf: NameCreative,
): MediaBuyPackage {
  const { currency: _currency, ...terms } = price;
  return {
    package_id,
    buyer_ref: request.buyer_ref ?? null,
    product_id: product.product_id,
    product_name: product.name,
    delivery_type: product.delivery_type,
    ...terms,
    targeting_overlay: request.targeting_overlay ?? null,
    offered_targeting: offeredBy(product),
    creative_ids: creativeIdsOf(request).map(nameOf),
    paused: request.paused ?? false,
  };
}
