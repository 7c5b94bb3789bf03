import { AppError } from '../../platform/errors.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { ceilHour, DAY_MS, floorHour, HOUR_MS } from '../../platform/hours.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { fieldPath } from '../../platform/field-path.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { GRANULARITIES } from '../../sales/delivery/granularity.ts';
import type { Granularity, Step } from '../../sales/delivery/granularity.ts';
import { readCorrections, readDelivery } from '../../sales/delivery/read-delivery.ts';
import type { Description } from '../../sales/ad-server/description.ts';
import type { Flight } from '../../sales/flight/flight.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { EXAMPLE_MEDIA_BUY_ID } from '../example-ids.ts';
import { ownMediaBuys } from '../own-rows.ts';
import { aggregate, deliveryRow } from './row.ts';
import { GetMediaBuyDeliveryRequest, GetMediaBuyDeliveryResponse } from './schema.ts';

/** Tells what media buys have delivered (rules C.tasks.delivery, B10). */
export function getMediaBuyDelivery(deps: TaskDependencies): TaskDefinition {
  return inlineTask<GetMediaBuyDeliveryRequest>({
    name: 'get_media_buy_delivery',
    title: 'Get media buy delivery',
    description:
      'Tells impressions, spend and clicks of one or more media buys: in all, by package and over time, hourly, daily or monthly.',
    tags: ['media-buy', 'reporting'],
    examples: [
      {
        title: 'Daily delivery of a media buy',
        input: { media_buy_id: EXAMPLE_MEDIA_BUY_ID, granularity: 'daily' },
      },
    ],
    scope: 'tasks:read',
    input: GetMediaBuyDeliveryRequest,
    output: GetMediaBuyDeliveryResponse,
    async answer(request, { caller }) {
      const granularity = granularityOf(request);
      const buys = await buysOf(deps, request, caller.organization_id);
      assertNotTooMany(deps, buys, request);
      const rows = await Promise.all(buys.map((buy) => rowOf(deps, buy, request, granularity)));
      const [only] = rows;
      const result: GetMediaBuyDeliveryResponse =
        typeof request.media_buy_id === 'string' && only !== undefined
          ? only.row
          : { media_buy_deliveries: rows.map(({ row }) => row), aggregated_totals: aggregate(rows) };
      return { result, message: `delivery of ${rows.length === 1 ? 'one media buy' : `${rows.length} media buys`}` };
    },
  });
}

/** @throws {AppError} `UNSUPPORTED_GRANULARITY`; `INVALID_REQUEST` for two that differ. */
function granularityOf({ granularity, time_granularity }: GetMediaBuyDeliveryRequest): Granularity {
  const field = granularity === undefined ? 'time_granularity' : 'granularity';
  if (granularity !== undefined && time_granularity !== undefined && granularity !== time_granularity) {
    throw new AppError('INVALID_REQUEST', 'granularity and time_granularity are one field; send one of them', {
      field: 'time_granularity',
    });
  }
  const wanted = granularity ?? time_granularity ?? 'daily';
  const found = GRANULARITIES.find((known) => known === wanted);
  if (found !== undefined) return found;
  throw new AppError('UNSUPPORTED_GRANULARITY', `${field}: ${JSON.stringify(wanted)} is not on offer`, {
    field,
    suggestion: `one of ${GRANULARITIES.join(', ')}`,
    details: { supported: GRANULARITIES },
  });
}

/** @throws {AppError} `MEDIA_BUY_NOT_FOUND` with the place of the id; `INVALID_REQUEST` when none is named. */
async function buysOf(
  { mediaBuys }: TaskDependencies,
  { media_buy_id, media_buy_ids }: GetMediaBuyDeliveryRequest,
  organization_id: OrganizationId,
): Promise<MediaBuy[]> {
  if ((media_buy_id === undefined) === (media_buy_ids === undefined)) {
    throw new AppError('INVALID_REQUEST', 'media_buy_id: send media_buy_id, one or a list', { field: 'media_buy_id' });
  }
  const name = media_buy_id === undefined ? 'media_buy_ids' : 'media_buy_id';
  const given = media_buy_id ?? media_buy_ids ?? [];
  const ids = [given].flat();
  const own = await ownMediaBuys(mediaBuys, { organization_id }, ids);
  for (const [i, id] of ids.entries()) {
    if (own.has(id)) continue;
    const field = fieldPath(Array.isArray(given) ? [name, i] : [name]);
    throw new AppError('MEDIA_BUY_NOT_FOUND', `${field}: you have no media buy with this id`, { field });
  }
  return [...own.values()].sort((a, b) => ids.indexOf(a.media_buy_id) - ids.indexOf(b.media_buy_id));
}

async function rowOf(
  deps: TaskDependencies,
  buy: MediaBuy,
  request: GetMediaBuyDeliveryRequest,
  granularity: Granularity,
) {
  const { media_buy_id } = buy;
  const range = rangeOf(request, buy, deps.flightClock.now(buy));
  const { package_timeseries: packagesBy } = request;
  const isByHour = granularity === 'hourly' || packagesBy?.includes('hourly') === true;
  const [facts, corrections, flight] = await Promise.all([
    readDelivery(deps.facts, media_buy_id, range, isByHour ? 'hour' : 'day'),
    readCorrections(deps.facts, media_buy_id, range),
    deps.flights.get(media_buy_id),
  ]);
  const isDelayed = flight?.is_delayed === true;
  const told = deliveryRow(buy, {
    range,
    granularity,
    facts,
    corrections,
    isDelayed,
    ...(packagesBy && { packagesBy }),
  });
  if (packagesBy !== undefined) told.row.final_until = finalUntil(buy, flight, deps.adServerCan());
  return told;
}

/** Before when nothing will be stated otherwise, as far as the ad server has said; null: nothing ever will. */
function finalUntil(buy: MediaBuy, flight: Flight | undefined, described: Description | undefined): string | null {
  if (flight === undefined || described === undefined) return buy.created_at;
  if (flight.due_at === null) return null;
  return toTimestamp(Date.parse(flight.recorded_until) - described.statements.restates_hours * HOUR_MS);
}

/** So many steps of packages are told in one answer. */
const MAX_STEPS = 100_000;

/** @throws {AppError} `INVALID_REQUEST` when the packages' steps are more than one answer tells. */
function assertNotTooMany(
  deps: TaskDependencies,
  buys: readonly MediaBuy[],
  request: GetMediaBuyDeliveryRequest,
): void {
  const { package_timeseries = [] } = request;
  if (package_timeseries.length === 0) return;
  const counts = buys.map((buy) => {
    const { fromMs, untilMs } = rangeOf(request, buy, deps.flightClock.now(buy));
    const stepMs = package_timeseries.includes('hourly') ? HOUR_MS : DAY_MS;
    return Math.ceil((untilMs - fromMs) / stepMs) * buy.packages.length;
  });
  if (counts.reduce((sum, count) => sum + count, 0) <= MAX_STEPS) return;
  const message = `package_timeseries: more than ${MAX_STEPS} steps; ask for fewer days, fewer media buys or longer steps`;
  throw new AppError('INVALID_REQUEST', message, { field: 'package_timeseries' });
}

/** The range asked for; its ends default to the flight's, as far as it has come. @throws {AppError} `INVALID_REQUEST`. */
function rangeOf({ date_range }: GetMediaBuyDeliveryRequest, buy: MediaBuy, flightMs: number): Step {
  const startMs = floorHour(Date.parse(buy.start_time));
  const endMs = Math.max(startMs, Math.min(ceilHour(Date.parse(buy.end_time)), ceilHour(flightMs)));
  const fromMs = date_range?.start === undefined ? startMs : instant(date_range.start, 'date_range.start');
  const untilMs = date_range?.end === undefined ? Math.max(fromMs, endMs) : instant(date_range.end, 'date_range.end');
  const refuse = (message: string) =>
    new AppError('INVALID_REQUEST', `date_range.end: ${message}`, { field: 'date_range.end' });
  if (date_range?.end !== undefined && untilMs <= fromMs) throw refuse('must be after the start');
  if (untilMs - fromMs > MAX_RANGE_MS) throw refuse('must be at most 1100 days after the start');
  return { fromMs, untilMs };
}

/** As long as a flight can be. */
const MAX_RANGE_MS = 1_100 * DAY_MS;

function instant(text: string, field: string): number {
  const ms = Date.parse(text);
  if (ms % HOUR_MS === 0) return ms;
  throw new AppError('INVALID_REQUEST', `${field}: delivery is counted by the hour; send a full hour of UTC`, {
    field,
  });
}
