import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import { floorHour, HOUR_MS } from '../platform/hours.ts';
import type { Step } from '../sales/delivery/granularity.ts';
import { readDelivery } from '../sales/delivery/read-delivery.ts';
import type { Flight } from '../sales/flight/flight.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { correctedDays, withCorrections } from './corrections.ts';
import type { ReportingDependencies } from './dependencies.ts';
import { endOfFlight, lastHour } from './flight-end.ts';
import { floorOf, periodOf, stretchFrom } from './periods.ts';
import { reportNotification } from './report.ts';
import type { ReportType } from './report.ts';
import { isLive } from './schedule.ts';
import type { BuySchedule, ReportingChannel } from './schedule.ts';

/**
 * The row after the next step of its reporting, or when to look again, in milliseconds of the wall clock; null where nothing is owed
 * until something happens to the buy.
 */
export type NextReport = { changes: Partial<BuySchedule> } | { restUntilMs: number | null };

/** The longest wait between two looks at a buy. */
export const MAX_REST_MS = HOUR_MS;
/** How long data of a period that is over may be missing without word of the ad server before it counts as late. */
const GRACE_MS = 5 * 60_000;
/** How soon missing data is looked for again. */
const SOON_MS = 5_000;
/** How soon the end of a flight whose last data is not in is looked for, if its progress is not told. */
const END_LOOK_MS = 60_000;
/** The `final` report waits this long for the first attempts of the impairments before it. */
const FLUSH_WITHIN_MS = 60_000;
const FLUSH_LOOK_MS = 500;

/** Where a buy and its reporting stand. */
interface Footing {
  deps: Pick<ReportingDependencies, 'clock' | 'flightClock'>;
  row: BuySchedule;
  buy: MediaBuy;
  channel: ReportingChannel;
  flightMs: number;
  /** Where the flight of a buy that is over ends. */
  endMs: number | undefined;
}

/** What a step is decided on. */
interface Stand extends Footing {
  deps: ReportingDependencies;
  /** Undefined for a buy that is not looked after. */
  flight: Flight | undefined;
}

/**
 * Decides the next step of a buy's reporting (rule W10): begin, take note of corrections, tell a period anew, tell
 * the oldest period whose data is in, announce one whose data is late, end. One report a step, in this order.
 */
export async function nextReport(deps: ReportingDependencies, row: BuySchedule, seen: MediaBuy): Promise<NextReport> {
  const nowMs = deps.clock.now();
  const channel = row.reporting;
  if (!isLive(channel)) {
    if (endOfFlight(seen, deps.flightClock) !== undefined) return { changes: { ended_at: toTimestamp(nowMs) } };
    return { restUntilMs: null };
  }
  const { buy, flight } = await upToDate(deps, row, seen);
  const flightMs = deps.flightClock.now(buy);
  const stand = { deps, row, buy, channel, flight, flightMs, endMs: endOfFlight(buy, deps.flightClock) };
  return (
    begin(stand) ??
    (await adjust(stand)) ??
    (await tellPeriod(stand)) ??
    (await end(stand)) ?? { restUntilMs: rest(stand) }
  );
}

/**
 * The schedule of a buy whose webhooks have just been set for the first time, begun where its flight has, and due when the first
 * report may be. Pure.
 */
export function firstRest(row: BuySchedule, buy: MediaBuy, deps: Footing['deps']): BuySchedule {
  const channel = row.reporting;
  if (channel === null) return row;
  const { clock, flightClock } = deps;
  const stand = { deps, buy, channel, flightMs: flightClock.now(buy), endMs: endOfFlight(buy, flightClock) };
  const begun = { ...row, ...begin({ ...stand, row })?.changes };
  const restUntilMs = rest({ ...stand, row: begun });
  return { ...begun, due_at: toTimestamp(stand.endMs === undefined ? restUntilMs : clock.now()) };
}

/** The buy and its flight, looked at now if a period is over and its data is not recorded. */
async function upToDate(deps: ReportingDependencies, { delayed_until, stretches }: BuySchedule, seen: MediaBuy) {
  const { media_buy_id } = seen;
  const flight = await deps.flights.get(media_buy_id);
  const period = delayed_until === null ? undefined : periodOf(stretches, fromTimestamp(delayed_until));
  const wantedMs = Math.min(period?.untilMs ?? 0, lastHour(seen));
  const isBehind = flight?.due_at != null && fromTimestamp(flight.recorded_until) < wantedMs;
  if (!isBehind || deps.flightClock.now(seen) < wantedMs) return { buy: seen, flight };
  // With all others that are due: the ad server is asked once for all of them.
  await deps.flights.processDue().catch((error: unknown) => {
    deps.log.warn({ err: error, media_buy_id }, 'delivery could not be read; its report waits');
  });
  return {
    buy: (await deps.mediaBuys.get(media_buy_id)) ?? seen,
    flight: await deps.flights.get(media_buy_id),
  };
}

/** The first period begins with the flight, or with the period in which the webhook was set. */
function begin({ row, buy, channel, flightMs, endMs }: Footing): { changes: Partial<BuySchedule> } | undefined {
  if (row.reported_until !== null) return undefined;
  const startMs = startOf(buy, channel);
  if (flightMs < fromTimestamp(buy.start_time) || startMs >= (endMs ?? Infinity)) return undefined;
  const start = toTimestamp(startMs);
  const stretches = [stretchFrom(startMs, channel.reporting_frequency, startMs)];
  return { changes: { stretches, reported_until: start, delayed_until: start } };
}

function startOf({ start_time }: MediaBuy, { set_at, reporting_frequency }: ReportingChannel): number {
  return Math.max(floorHour(fromTimestamp(start_time)), floorOf(fromTimestamp(set_at), reporting_frequency));
}

async function adjust(stand: Stand): Promise<NextReport | undefined> {
  const { deps, row, buy, endMs } = stand;
  const noted = withCorrections(row, await correctedDays(deps.facts, buy.media_buy_id), endMs);
  if (noted !== undefined) return { changes: noted };
  const [start, ...to_adjust] = row.to_adjust;
  if (start === undefined) return undefined;
  const period = periodOf(row.stretches, fromTimestamp(start), endMs);
  return period === undefined ? { changes: { to_adjust } } : report(stand, 'adjusted', period, { to_adjust });
}

/** The oldest period that is not reported, if its data is in; else the next one that is over, if its data is late. */
async function tellPeriod(stand: Stand): Promise<NextReport | undefined> {
  const { deps, row, buy, flight, flightMs, endMs } = stand;
  const { stretches, reported_until, delayed_until } = row;
  if (reported_until === null || delayed_until === null) return undefined;
  const oldest = periodOf(stretches, fromTimestamp(reported_until), endMs);
  const recordedMs =
    flight === undefined ? 0 : flight.due_at === null ? Infinity : fromTimestamp(flight.recorded_until);
  if (oldest !== undefined && oldest.untilMs <= Math.min(recordedMs, endMs ?? flightMs)) {
    const until = toTimestamp(oldest.untilMs);
    const cursors = { reported_until: until, delayed_until: until > delayed_until ? until : delayed_until };
    return report(stand, 'scheduled', oldest, cursors);
  }
  const next = periodOf(stretches, fromTimestamp(delayed_until), endMs);
  if (next === undefined || flightMs < next.untilMs) return undefined;
  const waitedMs = deps.clock.now() - deps.flightClock.wallAt(buy, next.untilMs);
  if (flight?.is_delayed !== true && waitedMs < GRACE_MS) return { restUntilMs: deps.clock.now() + SOON_MS };
  return report(stand, 'delayed', next, { delayed_until: toTimestamp(next.untilMs) });
}

/** The last report, once nothing can change any more and the impairments before it are on their way. */
async function end(stand: Stand): Promise<NextReport | undefined> {
  const { deps, row, buy, flight, endMs } = stand;
  if (endMs === undefined || flight?.due_at !== null) return undefined;
  const nowMs = deps.clock.now();
  const isNew = nowMs < fromTimestamp(row.flushed_at ?? '') + FLUSH_WITHIN_MS;
  if (isNew && (await isFlushing(stand))) return { restUntilMs: nowMs + FLUSH_LOOK_MS };
  const startMs = floorHour(fromTimestamp(buy.start_time));
  const period = { fromMs: startMs, untilMs: Math.max(startMs, endMs) };
  return report(stand, 'final', period, { ended_at: toTimestamp(nowMs) });
}

async function isFlushing({ deps, buy: { organization_id, media_buy_id } }: Stand): Promise<boolean> {
  const fires = await deps.webhooks.activity({ organization_id, subject_id: media_buy_id });
  return fires.some(({ event, status, attempt }) => event === 'impairment' && status === 'pending' && attempt === 1);
}

/** When to look again where nothing is to be told, in milliseconds of the wall clock. */
function rest({ deps, row, buy, flightMs, endMs }: Footing): number {
  const nowMs = deps.clock.now();
  if (endMs !== undefined) return nowMs + END_LOOK_MS;
  const { delayed_until, stretches } = row;
  const next = delayed_until === null ? undefined : periodOf(stretches, fromTimestamp(delayed_until));
  const turns = [fromTimestamp(buy.start_time), fromTimestamp(buy.end_time)].filter((ms) => ms > flightMs);
  const instants = next === undefined ? turns : [...turns, next.untilMs];
  const walls = instants.map((ms) => deps.flightClock.wallAt(buy, ms));
  return Math.min(nowMs + MAX_REST_MS, ...walls);
}

/** The step that makes a report: its number, its content as it stands now, and the cursors moved past it. */
async function report(stand: Stand, type: ReportType, period: Step, moved: Partial<BuySchedule>): Promise<NextReport> {
  const { deps, row, buy, channel } = stand;
  const sequence = row.sequence + 1;
  const facts = await readDelivery(deps.facts, buy.media_buy_id, period, type === 'final' ? 'day' : 'hour');
  const notification = reportNotification(buy, channel, {
    ...{ type, sequence, period, facts },
    nextExpectedMs: type === 'final' ? undefined : nextExpected(stand, moved),
    nowMs: deps.clock.now(),
    idempotency_key: deps.ids.newId(),
  });
  const news = await deps.inDialect(notification, buy);
  return { changes: { ...moved, sequence, unsent: news === undefined ? [] : [{ news }] } };
}

/** When the next period is over, or the flight. */
function nextExpected({ deps, row, buy, endMs = lastHour(buy) }: Stand, moved: Partial<BuySchedule>): number {
  const cursor = moved.delayed_until ?? row.delayed_until;
  const next = cursor === null ? undefined : periodOf(row.stretches, fromTimestamp(cursor), endMs);
  return Math.max(deps.clock.now(), deps.flightClock.wallAt(buy, next?.untilMs ?? endMs));
}
