import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection, Store } from '../../platform/store/collection.ts';
import { floorHour, HOUR_MS } from '../../platform/hours.ts';
import type { Logger } from '../../platform/log.ts';
import type { Courier } from '../ad-order/courier.ts';
import { hasOpen } from '../ad-order/open.ts';
import { settled } from '../ad-order/settled.ts';
import { Creatives } from '../creative/creative.ts';
import type { Creative } from '../creative/creative.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { MediaBuys } from '../media-buy/media-buys.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import { readStoredOverlay } from '../targeting/stored-overlay.ts';
import { bookedFacts } from '../statement/delivery-book.ts';
import type { BookedFacts } from '../statement/delivery-book.ts';
import { dueTransition } from './due-transition.ts';
import type { FlightClock } from './flight-clock.ts';
import { FlightRows } from './flight.ts';
import type { Flight } from './flight.ts';
import { recordFlight } from './record-flight.ts';
import type { StatementDependencies } from './record-flight.ts';

/** A process that took a flight up and died lets go of it after this long. */
const LEASE_MS = 30_000;
/** Flights looked at in one go, and how many of them at once. */
const BATCH = 200;
const AT_ONCE = 8;

export interface FlightsDependencies {
  store: Store;
  adServer: StatementDependencies['adServer'];
  describe: StatementDependencies['describe'];
  courier: Courier;
  flightClock: FlightClock;
  clock: Clock;
  log: Logger;
  /** Told after a flight has come further. May be told twice, or never when the process dies first. */
  onProgress?(media_buy_id: MediaBuyId): Promise<void>;
}

/**
 * Keeps media buys moving by themselves: start reached, flight ended, budget spent; tells the ad server what each buy is
 * to be, and records what it delivers. Everything it does may be repeated and done by several processes at once.
 */
export interface Flights {
  /**
   * Begins to look after a new buy: in a moment, or as time passes when it only waits for its buyer or a person. Repeatable. A
   * buy whose flight was not opened yet cannot be touched, so a change since `buy` was read is seen here.
   */
  open(buy: MediaBuy): Promise<void>;
  /** How far a buy's flight has come; undefined when it is not looked after. */
  get(media_buy_id: MediaBuyId): Promise<Flight | undefined>;
  /** Something about the buy has changed: it is looked at in a moment. Call after every write to a buy. */
  touch(media_buy_id: MediaBuyId): Promise<void>;
  /** Processes one buy now: takes it on, tells the ad server, records what was delivered until now. */
  process(media_buy_id: MediaBuyId): Promise<MediaBuy | undefined>;
  /** Processes every flight that is due. Answers how many. */
  processDue(): Promise<number>;
}

export function createFlights(given: FlightsDependencies): Flights {
  const { store, clock, log } = given;
  const deps: Wired = {
    ...given,
    flights: store.collection(FlightRows),
    mediaBuys: store.collection(MediaBuys),
    creatives: store.collection(Creatives),
    facts: bookedFacts(store),
    unreadTold: new Set(),
  };
  const { flights } = deps;

  async function processFlight(
    media_buy_id: MediaBuyId,
    isDue: (flight: Flight) => boolean,
  ): Promise<MediaBuy | undefined> {
    const claimed = await flights.update(media_buy_id, (flight) =>
      isDue(flight) ? { ...flight, due_at: toTimestamp(clock.now() + LEASE_MS) } : undefined,
    );
    if (claimed?.changed !== true) return undefined;
    const { buy, ...progress } = await advance(deps, claimed.row);
    const outcome = await flights.update(media_buy_id, (flight) => ({
      ...flight,
      is_delayed: progress.is_delayed,
      recorded_until: later(flight.recorded_until, progress.recorded_until),
      // Touched meanwhile: what was touched has not been seen.
      due_at: flight.revision === claimed.row.revision ? progress.due_at : flight.due_at,
    }));
    if (outcome !== undefined && hasCome(claimed.row, outcome.row)) await deps.onProgress?.(media_buy_id);
    return buy;
  }

  async function touch(media_buy_id: MediaBuyId): Promise<void> {
    const due_at = toTimestamp(clock.now());
    await flights.update(media_buy_id, (flight) => ({ ...flight, due_at }));
  }

  return {
    async open(buy) {
      const { media_buy_id, created_at, start_time, status, pending_reason } = buy;
      const isHeld = status === 'pending' && pending_reason !== 'start_time';
      const firstMs = floorHour(Math.min(fromTimestamp(created_at), fromTimestamp(start_time)));
      const recorded_until = toTimestamp(firstMs);
      const due_at = isHeld ? nextLook(deps, buy, deps.flightClock.now(buy)) : toTimestamp(clock.now());
      const row = { media_buy_id, due_at, recorded_until, is_delayed: false, revision: 1 };
      if (!(await flights.insert(row)).inserted) return;
      if ((await deps.mediaBuys.get(media_buy_id))?.row_version !== buy.row_version) await touch(media_buy_id);
    },
    get: (media_buy_id) => flights.get(media_buy_id),
    touch,
    process: (media_buy_id) => processFlight(media_buy_id, () => true),
    async processDue() {
      const now = toTimestamp(clock.now());
      const { rows } = await flights.find({
        where: { due_at: { lte: now, gt: '' } },
        sort: { field: 'due_at', direction: 'asc' },
        limit: BATCH,
      });
      const queue = rows.map(({ media_buy_id }) => media_buy_id);
      const lane = async () => {
        for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
          const media_buy_id = id;
          await processFlight(id, ({ due_at }) => due_at !== null && due_at <= now).catch((error: unknown) => {
            log.warn({ err: error, media_buy_id }, 'a flight could not be processed; trying again');
          });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      return rows.length;
    },
  };
}

/** Whether there is anything new to tell of a flight. */
function hasCome(before: Flight, after: Flight): boolean {
  return (
    after.recorded_until !== before.recorded_until || after.is_delayed !== before.is_delayed || after.due_at === null
  );
}

interface Wired extends FlightsDependencies {
  flights: Collection<Flight>;
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  facts: BookedFacts;
  /** Buys whose unread targeting has been logged. */
  unreadTold: Set<MediaBuyId>;
}

type Progress = Pick<Flight, 'due_at' | 'recorded_until' | 'is_delayed'> & { buy: MediaBuy | undefined };

/** Brings one flight to where its time stands. */
async function advance(deps: Wired, flight: Flight): Promise<Progress> {
  const { media_buy_id } = flight;
  const seen = await deps.mediaBuys.get(media_buy_id);
  if (seen === undefined) return { ...flight, due_at: null, buy: undefined };
  const flightMs = deps.flightClock.now(seen);
  logUnread(deps, seen);
  let buy = await makeDueTransition(deps, seen, flightMs, false);
  const report = await recordFlight(deps, buy, flight, flightMs);
  if (report.is_spent) {
    const before = buy;
    buy = await makeDueTransition(deps, buy, flightMs, true);
    if (buy !== before) Object.assign(report, await recordFlight(deps, buy, report, flightMs));
  }
  const next = report.is_final && isTerminalBuy(buy.status) ? null : nextLook(deps, buy, flightMs);
  return { recorded_until: report.recorded_until, is_delayed: report.is_delayed, due_at: next, buy };
}

/** The transition that is due, made if the buy still stands as it was seen; and the ad server told of it. */
async function makeDueTransition(deps: Wired, buy: MediaBuy, flightMs: number, isSpent: boolean): Promise<MediaBuy> {
  const { media_buy_id } = buy;
  const look = await deps.courier.look(buy);
  const { creativeStatus } = look.readiness;
  const moved = dueTransition(buy, { flightMs, isSpent, creativeStatus }, look.at);
  const next = settled(moved ?? buy, look) ?? moved;
  if (next !== undefined) {
    const written = await deps.mediaBuys.replace(next);
    if (written === undefined) return (await deps.mediaBuys.get(media_buy_id)) ?? buy;
    const { status, pending_reason } = written;
    if (status !== buy.status || pending_reason !== buy.pending_reason) {
      deps.log.info({ media_buy_id, status, pending_reason }, 'media buy moved');
    }
    if (!hasOpen(written)) return written;
  }
  return (await deps.courier.tell(media_buy_id, { inHand: next !== undefined })) ?? buy;
}

/** Names a buy of 0.1.0 whose targeting is told to no ad server for not being understood; once in a process. */
function logUnread({ log, unreadTold }: Wired, { media_buy_id, packages }: MediaBuy): void {
  if (unreadTold.has(media_buy_id)) return;
  const unchecked = packages.filter(({ offered_targeting }) => offered_targeting === undefined);
  const fields = unchecked.flatMap(({ package_id, targeting_overlay }) =>
    readStoredOverlay(targeting_overlay ?? {}).unread.map((axis) => `${package_id}.targeting_overlay.${axis}`),
  );
  if (fields.length === 0) return;
  unreadTold.add(media_buy_id);
  log.warn({ media_buy_id, fields }, 'targeting that is not understood is told to no ad server');
}

/** The next instant at which something may happen by itself: the start, the end, or the next hour. */
function nextLook({ flightClock, clock }: Wired, buy: MediaBuy, flightMs: number): string {
  const nextHourMs = floorHour(flightMs) + HOUR_MS;
  const instants = [fromTimestamp(buy.start_time), fromTimestamp(buy.end_time)].filter((ms) => ms > flightMs);
  const wallMs = flightClock.wallAt(buy, Math.min(nextHourMs, ...instants));
  return toTimestamp(Math.max(wallMs, clock.now()));
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
