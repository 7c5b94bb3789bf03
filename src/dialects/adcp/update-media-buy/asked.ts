import { invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { isToRun, staysPaused } from '../../../sales/media-buy/to-run.ts';
import { bidAsked } from '../create-media-buy/bid.ts';
import { NO_TERMS, packagesTaken } from '../create-media-buy/package-asked.ts';
import type { TakenWhere } from '../formats/creative-format.ts';
import type { Release } from '../release.ts';
import { assertBudgeted, refuseControlsOfBuy, refuseControlsOfPackage } from '../spend-controls.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { reportingAsked } from '../webhooks/asked-webhooks.ts';
import type { AdcpPackageUpdate, AdcpUpdateMediaBuyRequest } from './schema.ts';

/** What cannot be changed here. */
const NOT_OF_A_BUY = {
  invoice_recipient: 'the account is billed, and nobody else',
  total_budget: 'the total is the sum of the packages',
  name: 'media buys keep the name that they were booked under',
};

/** What of a package cannot be changed here, besides what bounds its spending. */
const NOT_OF_A_PACKAGE = {
  canceled: 'a package is not canceled by itself; pause it, or lower its budget',
  keyword_targets_add: 'no keywords are targeted here',
  keyword_targets_remove: 'no keywords are targeted here',
  negative_keywords_add: 'no keywords are targeted here',
  negative_keywords_remove: 'no keywords are targeted here',
  creatives: 'send them by sync_creatives, and name them in creative_assignments',
};

/** What a package was sold by. */
const BOOKED_BY = { measurement_terms: 'terms are agreed on when a package is booked, and stand' };

/** A change in our own words. */
export interface UpdatesAsked {
  /** Undefined for one that finds all as it wants it. */
  updates: JsonObject | undefined;
  /** Of new packages, what is only told again. */
  told: JsonObject[];
}

/**
 * The change that is asked for. Canceling wins over whatever else is asked.
 * @throws {AppError} for what cannot be changed.
 */
export function updatesAsked(
  request: AdcpUpdateMediaBuyRequest,
  buy: MediaBuy | undefined,
  where: Pick<TakenWhere, 'catalog' | 'release'>,
): UpdatesAsked {
  const reason = request.cancellation_reason?.trim() ?? '';
  if (request.canceled === true) {
    return { updates: { status: 'canceled', ...(reason !== '' && { cancellation_reason: reason }) }, told: [] };
  }
  if (request.canceled === false)
    throw invalidRequest('canceled', 'a media buy that is canceled stays so; send true, or leave it out');
  refuseUnsupported(request, NOT_OF_A_BUY);
  refuseControlsOfBuy(request);
  const packages = (request.packages ?? []).map((one, i) => packageUpdate(one, i, buy, where.release));
  // One that the buy has not is refused by the task.
  const known = new Set<unknown>(buy?.packages.map(({ package_id }) => package_id));
  const isNews = (one: JsonObject) => !known.has(one['package_id']) || changesOf(one, buy) > 0;
  // All of them then, so that what is refused is found where it stands in the request.
  const changed = packages.some(isNews)
    ? packages.filter((one) => Object.keys(one).length > 1 || !known.has(one['package_id']))
    : [];
  const added = packagesTaken(request.new_packages ?? [], 'new_packages', where);
  const { start_time, end_time, paused, reporting_webhook } = request;
  const isPaused = buy?.status === 'paused' && (paused === true ? staysPaused(buy) : !isToRun(buy));
  const updates = {
    ...(typeof paused === 'boolean' && paused !== isPaused && { status: paused ? 'paused' : 'active' }),
    ...(typeof start_time === 'string' && { start_time }),
    ...(typeof end_time === 'string' && { end_time }),
    ...(changed.length > 0 && { packages: changed }),
    ...(added.length > 0 && { new_packages: added.map(({ asked }) => asked) }),
    ...(reporting_webhook && { reporting_webhook: reportingAsked(reporting_webhook) }),
  };
  const isNothing = Object.keys(updates).length === 0;
  if (isNothing && typeof paused !== 'boolean' && packages.length === 0) {
    throw invalidRequest(
      'packages',
      'say what is to change: paused, canceled, start_time, end_time, packages or new_packages',
    );
  }
  // A buy that waits is running as soon as it can: that it is not to be paused needs nothing.
  if (buy?.status === 'pending' && 'status' in updates && updates.status === 'active') delete updates.status;
  return {
    updates: Object.keys(updates).length === 0 ? undefined : updates,
    told: added.map(({ told }) => told),
  };
}

/** A whole overlay; from 3.2 on, what becomes of the package's own, dimension by dimension, where null takes one out. */
function overlayAsked(said: JsonObject, line: MediaBuy['packages'][number] | undefined, release: Release): JsonObject {
  if (release !== '3.2') return said;
  const merged = Object.entries({ ...line?.targeting_overlay, ...said });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** How much of a package is asked to be other than it is; only of a pause is that known without planning. */
function changesOf({ package_id, paused, ...others }: JsonObject, buy: MediaBuy | undefined): number {
  const line = buy?.packages.find((known) => known.package_id === package_id);
  return Object.keys(others).length + (paused === undefined || paused === line?.paused ? 0 : 1);
}

function packageUpdate(one: AdcpPackageUpdate, i: number, buy: MediaBuy | undefined, release: Release): JsonObject {
  const at = `packages[${i}].`;
  refuseUnsupported(one, NOT_OF_A_PACKAGE, { at });
  refuseControlsOfPackage(one, at);
  refuseUnsupported(one, { ...BOOKED_BY, ...NO_TERMS }, { at, code: 'TERMS_REJECTED' });
  const { package_id, budget, paused, targeting_overlay, creative_assignments } = one;
  if (budget !== undefined) assertBudgeted(one, at);
  const line = buy?.packages.find((known) => known.package_id === package_id);
  const isFixed = line !== undefined && line.pricing_model !== 'cpm-auction';
  return {
    package_id,
    ...(typeof budget === 'number' && { budget }),
    ...bidAsked(one, at, { release, isFixed }),
    ...(typeof paused === 'boolean' && { paused }),
    ...(targeting_overlay && { targeting_overlay: overlayAsked(targeting_overlay, line, release) }),
    ...(creative_assignments && { creative_ids: creative_assignments.map(({ creative_id }) => creative_id) }),
  };
}
