import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import type { FlightClock } from '../../../sales/flight/flight-clock.ts';
import { validActions } from '../../../sales/media-buy/buyer-actions.ts';
import type { BuyerAction } from '../../../sales/media-buy/buyer-actions.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { offeredTo } from '../../../sales/targeting/offered-targeting.ts';
import { isFrom } from '../release.ts';
import type { Release } from '../release.ts';

/** A name that the protocol has for what a buyer may do, and what of ours that is: whether it may be done, only ours say. */
export interface PublicAction {
  action: string;
  /** Of ours, in which it is asked; each is allowed where that is (rule B9). */
  of: BuyerAction;
  since: Release;
  /** The last release in which it means no more than is done here; absent: it does in all. */
  until?: Release;
  /** The task of 3.2 that does it; absent: only `update_media_buy` does. */
  task?: 'control_media_buy' | 'sync_creatives';
  /** It can raise the total, and so may wait for a person where any are asked. */
  mayCostMore?: true;
  /** What a package must have for it. */
  needs?: 'auction' | 'frequency_cap';
  /** It is over once the flight has begun. */
  isBeforeFlight?: true;
  /** Only the closed lists of 3.2 have a word for it. */
  isCanonical?: true;
  /** The closed lists of 3.2 have it of media buys, and not of products. */
  isOfBuysAlone?: true;
}

const CONTROL = 'control_media_buy';

/**
 * All that is done here, in the protocol's names. The names of 3.0 stand for several of later releases, and are told there as long as all
 * of these are done: no pace, division of budgets or end of a single package is, so `update_packages` and `update_budget` end.
 */
export const PUBLIC_ACTIONS: readonly PublicAction[] = [
  { action: 'pause', of: 'pause', since: '3.0', task: CONTROL },
  { action: 'resume', of: 'resume', since: '3.0', task: CONTROL },
  { action: 'cancel', of: 'cancel', since: '3.0', task: CONTROL },
  { action: 'update_name', of: 'update_packages', since: '3.2', task: CONTROL, isOfBuysAlone: true },
  { action: 'update_budget', of: 'update_budget', since: '3.0', until: '3.1', mayCostMore: true },
  { action: 'increase_budget', of: 'update_budget', since: '3.1', task: CONTROL, mayCostMore: true },
  { action: 'decrease_budget', of: 'update_budget', since: '3.1', task: CONTROL },
  { action: 'reallocate_budget', of: 'update_budget', since: '3.1', task: CONTROL },
  { action: 'update_dates', of: 'update_dates', since: '3.0', until: '3.0' },
  { action: 'update_dates', of: 'update_dates', since: '3.1', isBeforeFlight: true },
  { action: 'update_flight_dates', of: 'update_dates', since: '3.1', isBeforeFlight: true },
  { action: 'extend_flight', of: 'update_dates', since: '3.1' },
  { action: 'shorten_flight', of: 'update_dates', since: '3.1' },
  { action: 'update_packages', of: 'update_packages', since: '3.0', until: '3.0', mayCostMore: true },
  { action: 'add_packages', of: 'update_packages', since: '3.0', mayCostMore: true },
  { action: 'update_bidding', of: 'update_packages', since: '3.2', task: CONTROL, needs: 'auction' },
  { action: 'update_reporting_webhook', of: 'update_packages', since: '3.2', task: CONTROL, isCanonical: true },
  { action: 'update_targeting', of: 'update_targeting', since: '3.1', task: CONTROL },
  { action: 'update_frequency_caps', of: 'update_targeting', since: '3.1', task: CONTROL, needs: 'frequency_cap' },
  { action: 'sync_creatives', of: 'sync_creatives', since: '3.0' },
  { action: 'replace_creative', of: 'sync_creatives', since: '3.1', task: 'sync_creatives' },
  { action: 'update_creative_assignments', of: 'sync_creatives', since: '3.1', task: 'sync_creatives' },
  { action: 'remove_creative', of: 'sync_creatives', since: '3.1', task: 'sync_creatives' },
];

/** Whether a release has the name, for as much as is done here. Pure. */
export function isOfRelease({ since, until }: PublicAction, release: Release): boolean {
  return isFrom(release, since) && (until === undefined || isFrom(until, release));
}

/** Whether a person at the seller may have to decide, where any do. Pure. */
export function modeOf({ mayCostMore }: PublicAction, hasApproval: boolean): string {
  return hasApproval && mayCostMore === true ? 'conditional_self_serve' : 'self_serve';
}

/** What is asked of besides how a buy stands. */
export interface ActionFacts {
  release: Release;
  /** There are totals above which a person at the seller is asked. */
  hasApproval: boolean;
  catalog: Catalog;
  flightClock: FlightClock;
  /** Milliseconds since the Unix epoch. */
  nowMs: number;
  /** The buy's account in public words; absent: it has none. */
  account: JsonObject | undefined;
}

/** What may be done with a buy as it stands, and with which of its packages. Pure. */
function allowed(buy: MediaBuy, facts: ActionFacts): { one: PublicAction; ids: readonly string[] }[] {
  const { account, release, flightClock, nowMs } = facts;
  // Nothing is changed under it (`assertAccountOpen`).
  if (account !== undefined && account['status'] !== 'active') return [];
  const ours = validActions(buy, { mayWait: true });
  const hasBegun = Date.parse(buy.start_time) <= flightClock.at(buy, nowMs);
  return PUBLIC_ACTIONS.flatMap((one) => {
    if (!isOfRelease(one, release) || !ours.includes(one.of) || (one.isBeforeFlight === true && hasBegun)) return [];
    const ids = packagesFor(one, buy, facts);
    return ids.length === 0 ? [] : [{ one, ids }];
  });
}

function packagesFor({ needs }: PublicAction, { packages }: MediaBuy, { catalog }: ActionFacts): string[] {
  const fitting = packages.filter((line) => {
    if (needs === undefined) return true;
    if (needs === 'auction') return line.pricing_model === 'cpm-auction';
    return offeredTo(line, catalog.products.get(line.product_id))?.frequency_cap === true;
  });
  return fitting.map(({ package_id }) => package_id);
}

/** The names that all answers about a buy tell, and from 3.1 on what each takes. Pure. */
export function actionsTold(buy: MediaBuy, facts: ActionFacts): { valid_actions: string[] } & JsonObject {
  const all = allowed(buy, facts).filter(({ one }) => one.isCanonical !== true);
  const valid_actions = all.map(({ one }) => one.action);
  if (facts.release === '3.0') return { valid_actions };
  const available_actions = all.map(({ one, ids }) => ({
    ...{ action: one.action, mode: modeOf(one, facts.hasApproval) },
    ...(isFrom(facts.release, '3.2') && ofSome(ids, buy)),
  }));
  return { valid_actions, available_actions };
}

/** The same as the closed lists of 3.2 have it: what there is a task for there. Pure. */
export function canonicalActions(buy: MediaBuy, facts: ActionFacts): JsonObject[] {
  return allowed(buy, facts).flatMap(({ one, ids }) => {
    const { action, task } = one;
    return task === undefined ? [] : [{ task, action, mode: modeOf(one, facts.hasApproval), ...ofSome(ids, buy) }];
  });
}

function ofSome(ids: readonly string[], { packages }: MediaBuy): JsonObject {
  return ids.length === packages.length ? {} : { applicable_package_ids: [...ids] };
}
