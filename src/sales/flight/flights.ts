import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection, Store } from '../../platform/store/collection.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { floorHour } from '../../platform/hours.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import type { Logger } from '../../platform/log.ts';
import type { Courier } from '../ad-order/courier.ts';
import { Creatives } from '../creative/creative.ts';
import type { Creative } from '../creative/creative.ts';
import { createBuyParts } from '../media-buy/buy-part.ts';
import type { BuyParts } from '../media-buy/buy-part.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { MediaBuys } from '../media-buy/media-buys.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import { bookedFacts } from '../statement/delivery-book.ts';
import type { BookedFacts } from '../statement/delivery-book.ts';
import { firstLook, makeDueTransition, nextLook } from './make-due-transition.ts';
import type { FlightClock } from './flight-clock.ts';
import { FLIGHT_IN_BUY, FlightRows } from './flight.ts';
import type { Flight } from './flight.ts';
import type { FlightToRecord, Recorded, StatementDependencies } from './record-flight.ts';
import { recordFlights } from './record-flights.ts';
import { logUnread } from './unread-targeting.ts';

/** A process that took a flight up and died lets go of it after this long. */
const LEASE_MS = 30_000;
/** Flights looked at in one go, and how many of them at once. */
const BATCH = 200;
const AT_ONCE = 8;

export interface FlightsDependencies {
  store: Store;
  adServer: StatementDependencies['adServer'];
  describe: StatementDependencies['describe'];
  reports: StatementDependencies['reports'];
  /** See `StatementDependencies`. */
  onSilence: StatementDependencies['onSilence'];
  courier: Courier;
  flightClock: FlightClock;
  clock: Clock;
  log: Logger;
  counters: Counters;
  /** What else a buy's row is to say once its flight has come further, in the same write. Pure. */
  onProgress?(buy: MediaBuy): MediaBuy;
}

/**
 * Keeps media buys moving by themselves: start reached, flight ended, budget spent; tells the ad server what each buy is
 * to be, and records what it delivers. Everything it does may be repeated and done by several processes at once.
 */
export interface Flights {
  /**
   * The new buy with its flight to be looked after: as time passes, or in a moment where something is to be done for it already. The
   * very same where it is looked after. Pure but for the time.
   */
  opened(buy: MediaBuy): MediaBuy;
  /** The same, written. Repeatable. */
  open(buy: MediaBuy): Promise<void>;
  /** How far a buy's flight has come; undefined when it is not looked after. */
  get(media_buy_id: MediaBuyId): Promise<Flight | undefined>;
  /** Processes one buy now: takes it on, tells the ad server, records what was delivered until now. */
  process(media_buy_id: MediaBuyId): Promise<MediaBuy | undefined>;
  /** Processes every flight that is due. Answers how many. */
  processDue(): Promise<number>;
}

export function createFlights(given: FlightsDependencies): Flights {
  const { store, clock, log } = given;
  const mediaBuys = store.collection(MediaBuys);
  const deps: Wired = {
    ...given,
    flights: createBuyParts({ mediaBuys, former: store.collection(FlightRows), clock }, FLIGHT_IN_BUY),
    mediaBuys,
    creatives: store.collection(Creatives),
    facts: bookedFacts({ store, clock }),
    unreadTold: new Set(),
  };
  const { flights } = deps;

  /** Takes a flight up and makes the transition that is due; undefined when it is not, or another has it. */
  async function takeUp(media_buy_id: MediaBuyId, isDue: (flight: Flight) => boolean): Promise<Taken | undefined> {
    const outcome = await flights.update(media_buy_id, (flight) =>
      isDue(flight) ? { ...flight, due_at: toTimestamp(clock.now() + LEASE_MS) } : undefined,
    );
    if (outcome?.changed !== true) return undefined;
    const { row: claimed, buy: seen } = outcome;
    const flightMs = deps.flightClock.now(seen);
    logUnread(deps, seen);
    const buy = await makeDueTransition(deps, seen, flightMs, false);
    return { claimed, buy, flightMs };
  }

  /** Records what flights that were taken up have delivered, and writes down how far they have come. Answers their faults. */
  async function record(taken: readonly Taken[]): Promise<Map<MediaBuyId, unknown>> {
    const faults = new Map<MediaBuyId, unknown>();
    const recorded = await recordFlights(deps, taken.map(toRecord));
    const over: Taken[] = [];
    await eachAtOnce(taken, AT_ONCE, async (one) => {
      const { media_buy_id } = one.claimed;
      const report = recorded.get(media_buy_id);
      if (report === undefined || 'fault' in report) {
        faults.set(media_buy_id, report?.fault ?? new Error(`nothing is reported of the flight of ${media_buy_id}`));
        return;
      }
      try {
        const buy = report.is_spent ? await makeDueTransition(deps, one.buy, one.flightMs, true) : one.buy;
        if (buy === one.buy) await note(one, report);
        else over.push({ ...one, buy });
      } catch (fault) {
        faults.set(media_buy_id, fault);
      }
    });
    if (over.length === 0) return faults;
    return new Map([...faults, ...(await record(over))]);
  }

  /** Writes down how far a flight has come. */
  async function note({ claimed, buy, flightMs }: Taken, report: Recorded): Promise<void> {
    const { recorded_until, asked_at, is_delayed, is_final, askAgainMs } = report;
    const { media_buy_id } = claimed;
    const next = is_final && isTerminalBuy(buy.status) ? null : nextLook(deps, buy, flightMs);
    const again = askAgainMs === undefined ? null : toTimestamp(askAgainMs);
    await flights.update(
      media_buy_id,
      (flight) => ({
        ...flight,
        ...(asked_at !== undefined && { asked_at }),
        is_delayed: again === null ? is_delayed : flight.is_delayed,
        recorded_until: later(flight.recorded_until, recorded_until),
        // Touched meanwhile: what was touched has not been seen.
        due_at: flight.revision !== claimed.revision ? flight.due_at : earlier(again, next),
      }),
      (written, flight) => (hasCome(claimed, flight) ? (deps.onProgress?.(written) ?? written) : written),
    );
  }

  function opened(buy: MediaBuy): MediaBuy {
    if (buy.flight !== undefined) return buy;
    const { media_buy_id, created_at, start_time } = buy;
    const firstMs = floorHour(Math.min(fromTimestamp(created_at), fromTimestamp(start_time)));
    const due_at = firstLook(deps, buy);
    const first = { media_buy_id, due_at, recorded_until: toTimestamp(firstMs), is_delayed: false, revision: 1 };
    return FLIGHT_IN_BUY.write(buy, first);
  }

  return {
    opened,
    async open({ media_buy_id, flight }) {
      if (flight !== undefined || (await flights.get(media_buy_id)) !== undefined) return;
      await mediaBuys.update(media_buy_id, (buy) => (buy.flight === undefined ? opened(buy) : undefined));
    },
    get: (media_buy_id) => flights.get(media_buy_id),
    async process(media_buy_id) {
      const taken = await takeUp(media_buy_id, () => true);
      if (taken === undefined) return undefined;
      const faults = await record([{ ...taken, claimed: withoutAsked(taken.claimed) }]);
      if (faults.has(media_buy_id)) throw faults.get(media_buy_id);
      return deps.mediaBuys.get(media_buy_id);
    },
    async processDue() {
      const now = toTimestamp(clock.now());
      const rows = await flights.due({ gt: '', lte: now }, BATCH);
      const warn = (media_buy_id: MediaBuyId, error: unknown) => {
        log.warn({ err: error, media_buy_id }, 'a flight could not be processed; trying again');
      };
      const taken: Taken[] = [];
      await eachAtOnce(rows, AT_ONCE, async ({ media_buy_id }) => {
        try {
          const one = await takeUp(media_buy_id, ({ due_at }) => due_at !== null && due_at <= now);
          if (one !== undefined) taken.push(one);
        } catch (error) {
          warn(media_buy_id, error);
        }
      });
      for (const [media_buy_id, fault] of await record(taken)) warn(media_buy_id, fault);
      return rows.length;
    },
  };
}

/** A flight that was taken up, as it stood then, and its buy after what was due. */
interface Taken {
  claimed: Flight;
  buy: MediaBuy;
  flightMs: number;
}

function toRecord({ claimed: { recorded_until, asked_at }, buy, flightMs }: Taken): FlightToRecord {
  return { buy, recorded_until, asked_at, flightMs };
}

/** Who wants one flight processed now wants the ad server asked. */
function withoutAsked({ asked_at: _asked, ...flight }: Flight): Flight {
  return flight;
}

/** Whether there is anything new to tell of a flight. */
function hasCome(before: Flight, after: Flight): boolean {
  return (
    after.recorded_until !== before.recorded_until || after.is_delayed !== before.is_delayed || after.due_at === null
  );
}

interface Wired extends FlightsDependencies {
  flights: BuyParts<Flight>;
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  facts: BookedFacts;
  /** Buys whose unread targeting has been logged. */
  unreadTold: Set<MediaBuyId>;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function earlier(a: string | null, b: string | null): string | null {
  return a === null || b === null ? b : a < b ? a : b;
}
