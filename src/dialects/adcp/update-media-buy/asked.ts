import { invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { creativeIdOf } from '../../../sales/creative/creative-ref.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { saidOfBuy } from '../../../sales/media-buy/said-of-buy.ts';
import { isToRun, staysPaused } from '../../../sales/media-buy/to-run.ts';
import { assertEven } from '../creative-assignments.ts';
import { creativeTaken } from '../creative-taken.ts';
import { formatNamer } from '../creatives.ts';
import { bidAsked } from '../create-media-buy/bid.ts';
import { NO_TERMS, packagesTaken, turnsOf } from '../create-media-buy/package-asked.ts';
import type { TakenWhere } from '../formats/creative-format.ts';
import { isFrom } from '../release.ts';
import type { Release } from '../release.ts';
import { assertBudgeted, refuseControlsOfBuy, refuseControlsOfPackage } from '../spend-controls.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { overlayTaken } from '../media-buys/dayparts.ts';
import { assertTimesStand } from '../media-buys/package-times.ts';
import { reportingAsked } from '../webhooks/asked-webhooks.ts';
import type { AdcpPackageUpdate, AdcpUpdateMediaBuyRequest } from './schema.ts';

/** What cannot be changed here. */
const NOT_OF_A_BUY = {
  invoice_recipient: 'the account is billed, and nobody else',
  total_budget: 'the total is the sum of the packages',
};

/** What releases before 3.2 have no word for. */
const NOT_BEFORE_3_2 = { name: 'a media buy is renamed in release 3.2' };

/** What of a package cannot be changed here, besides what bounds its spending. */
const NOT_OF_A_PACKAGE = {
  keyword_targets_add: 'no keywords are targeted here',
  keyword_targets_remove: 'no keywords are targeted here',
  negative_keywords_add: 'no keywords are targeted here',
  negative_keywords_remove: 'no keywords are targeted here',
};

/** A package ends with its media buy. */
const NOT_BY_ITSELF = { canceled: 'a package is not canceled by itself; pause it, or lower its budget' };

/** What a package was sold by. */
const BOOKED_BY = { measurement_terms: 'terms are agreed on when a package is booked, and stand' };

/** A change in our own words. */
export interface UpdatesAsked {
  /** Undefined for one that finds all as it wants it. */
  updates: JsonObject | undefined;
  /** What it is to be called, where that is another name than it has. */
  name?: string;
  /** Of new packages, what is only told again. */
  told: JsonObject[];
}

/**
 * The change that is asked for. Canceling wins over whatever else is asked.
 * @throws {AppError} for what cannot be changed.
 */
export function updatesAsked(
  request: AdcpUpdateMediaBuyRequest,
  buy: MediaBuy,
  { nowMs, ...where }: Pick<TakenWhere, 'catalog' | 'release'> & { nowMs: number },
): UpdatesAsked {
  const reason = request.cancellation_reason?.trim() ?? '';
  if (request.canceled === true) {
    return { updates: { status: 'canceled', ...(reason !== '' && { cancellation_reason: reason }) }, told: [] };
  }
  if (request.canceled === false)
    throw invalidRequest('canceled', 'a media buy that is canceled stays so; send true, or leave it out');
  refuseUnsupported(request, NOT_OF_A_BUY);
  if (!isFrom(where.release, '3.2')) refuseUnsupported(request, NOT_BEFORE_3_2);
  refuseControlsOfBuy(request);
  const flight = { start: request.start_time ?? buy.start_time, end: request.end_time ?? buy.end_time, nowMs };
  const packages = (request.packages ?? []).map((one, i) => {
    const line = buy.packages.find(({ package_id }) => package_id === one.package_id);
    assertTimesStand(one, `packages[${i}].`, flight, line && { buy, line });
    return packageUpdate(one, i, buy, where);
  });
  // All of them then, so that what is refused is found where it stands in the request.
  const changed = packages.some((one) => changesOf(one, buy) > 0)
    ? packages.filter((one) => Object.keys(one).length > 1)
    : [];
  const added = packagesTaken(request.new_packages ?? [], 'new_packages', { ...where, flight });
  const { start_time, end_time, paused, reporting_webhook, name } = request;
  const isRenamed = typeof name === 'string' && name !== saidOfBuy(buy).name;
  const isPaused = buy.status === 'paused' && (paused === true ? staysPaused(buy) : !isToRun(buy));
  const updates = {
    ...(typeof paused === 'boolean' && paused !== isPaused && { status: paused ? 'paused' : 'active' }),
    ...(typeof start_time === 'string' && { start_time }),
    ...(typeof end_time === 'string' && { end_time }),
    ...(changed.length > 0 && { packages: changed }),
    ...(added.length > 0 && { new_packages: added.map(({ asked }) => asked) }),
    ...(reporting_webhook && { reporting_webhook: reportingAsked(reporting_webhook) }),
  };
  const isNothing = Object.keys(updates).length === 0;
  if (isNothing && typeof paused !== 'boolean' && typeof name !== 'string' && packages.length === 0) {
    throw invalidRequest(
      'packages',
      'say what is to change: paused, canceled, start_time, end_time, packages, new_packages or, from 3.2 on, name',
    );
  }
  // A buy that waits is running as soon as it can: that it is not to be paused needs nothing.
  if (buy.status === 'pending' && 'status' in updates && updates.status === 'active') delete updates.status;
  return {
    updates: Object.keys(updates).length === 0 && !isRenamed ? undefined : updates,
    ...(isRenamed && { name }),
    told: added.map(({ told }) => told),
  };
}

/** A whole overlay; from 3.2 on, what becomes of the package's own, dimension by dimension, where null takes one out. */
function overlayAsked(
  said: JsonObject,
  line: MediaBuy['packages'][number] | undefined,
  { at, release }: { at: string; release: Release },
): JsonObject {
  if (release !== '3.2') return said;
  const merged = Object.entries({ ...line?.targeting_overlay, ...overlayTaken(said, at, release) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** How much of a package is asked to be other than it is; only of a pause is that known without planning. */
function changesOf({ package_id, paused, ...others }: JsonObject, buy: MediaBuy): number {
  const line = buy.packages.find((known) => known.package_id === package_id);
  return Object.keys(others).length + (paused === undefined || paused === line?.paused ? 0 : 1);
}

function packageUpdate(
  one: AdcpPackageUpdate,
  i: number,
  buy: MediaBuy,
  { catalog, release }: Pick<TakenWhere, 'catalog' | 'release'>,
): JsonObject {
  const at = `packages[${i}].`;
  refuseUnsupported(one, NOT_BY_ITSELF, { at, code: 'NOT_CANCELLABLE' });
  refuseUnsupported(one, NOT_OF_A_PACKAGE, { at });
  refuseControlsOfPackage(one, at);
  refuseUnsupported(one, { ...BOOKED_BY, ...NO_TERMS }, { at, code: 'TERMS_REJECTED' });
  const { package_id, budget, paused, targeting_overlay, creative_assignments } = one;
  if (budget !== undefined) assertBudgeted(one, at);
  const line = buy.packages.find((known) => known.package_id === package_id);
  const { creatives = [] } = one;
  // A list of assignments takes the place of what the package has; creatives that are brought come besides.
  const standing = creative_assignments === undefined ? (line?.creative_ids ?? []) : [];
  assertEven(turnsOf(one, at), standing.map(creativeIdOf));
  const product = line && catalog.products.get(line.product_id);
  const taken: TakenWhere = { catalog, release, nameFormat: formatNamer(catalog), product };
  const isFixed = line !== undefined && line.pricing_model !== 'cpm-auction';
  return {
    package_id,
    ...(typeof budget === 'number' && { budget }),
    ...bidAsked(one, at, { release, isFixed }),
    ...(typeof paused === 'boolean' && { paused }),
    ...(targeting_overlay && {
      targeting_overlay: overlayAsked(targeting_overlay, line, { at: `${at}targeting_overlay`, release }),
    }),
    ...(creative_assignments && { creative_ids: creative_assignments.map(({ creative_id }) => creative_id) }),
    ...(creatives.length > 0 && {
      creatives: creatives.map((creative, j) => creativeTaken(creative, `${at}creatives[${j}].`, taken)),
    }),
  };
}
