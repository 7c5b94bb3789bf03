import { fromTimestamp } from '../../platform/clock.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { Description } from '../ad-server/description.ts';
import { Broken } from '../ad-server/faults.ts';
import type { Statement } from '../ad-server/statement.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import { askStatement } from '../statement/ask-statement.ts';
import { recordWanted, wantedOf } from './record-flight.ts';
import type { FlightToRecord, Recorded, StatementDependencies, Wanted } from './record-flight.ts';

/** Buys that are asked for in one statement. */
const MAX_BUYS = 200;
/** Flights whose hours begin so far apart at the most are asked for together, or as far as hours are restated. */
const SPREAD_HOURS = 24;
/** Books written at once. */
const AT_ONCE = 8;

/** What became of each flight: how far it is recorded, or why that is not known. */
export type RecordedFlights = ReadonlyMap<MediaBuyId, Recorded | { fault: unknown }>;

/**
 * Asks what flights have delivered until now, in whole hours, in one statement for as many as may be, and records it in their
 * books: what is wrong with one's part, or fails in recording it, holds up no other.
 */
export async function recordFlights(
  deps: StatementDependencies,
  flights: readonly FlightToRecord[],
): Promise<RecordedFlights> {
  const results = new Map<MediaBuyId, Recorded | { fault: unknown }>();
  const held = flights.filter(({ buy }) => holdingOf(buy) !== null);
  for (const flight of flights) if (!held.includes(flight)) results.set(flight.buy.media_buy_id, neverHeld(flight));
  if (held.length === 0) return results;
  let description: Description;
  try {
    description = await deps.describe();
  } catch (fault) {
    for (const { buy } of held) results.set(buy.media_buy_id, { fault });
    return results;
  }
  const round: Round = { deps, description, results };
  for (let left: readonly FlightToRecord[] = held; left.length > 0;) {
    const again: FlightToRecord[] = [];
    for (const group of groupsOf(await wantedIn(round, left), description)) {
      again.push(...(await askFor(round, group)).map(({ flight }) => flight));
    }
    left = again;
  }
  return results;
}

interface Round {
  deps: StatementDependencies;
  description: Description;
  results: Map<MediaBuyId, Recorded | { fault: unknown }>;
}

function neverHeld({ buy, recorded_until, asked_at }: FlightToRecord): Recorded {
  const is_final = isTerminalBuy(buy.status) && (buy.stop ?? null) === null;
  return { recorded_until, asked_at, is_delayed: false, is_spent: false, is_final };
}

/** What is to be asked for; how far the others are known is noted. */
async function wantedIn({ deps, description, results }: Round, flights: readonly FlightToRecord[]): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  await eachAtOnce(flights, AT_ONCE, async (flight) => {
    const { media_buy_id } = flight.buy;
    try {
      const found = await wantedOf(deps, flight, description.statements);
      if ('query' in found) wanted.push(found);
      else results.set(media_buy_id, found);
    } catch (fault) {
      results.set(media_buy_id, { fault });
    }
  });
  return wanted;
}

/** Those whose hours lie together, at most so many in each. Pure. */
function groupsOf(wanted: readonly Wanted[], { statements: { restates_hours } }: Description): Wanted[][] {
  const spreadMs = Math.max(SPREAD_HOURS, restates_hours) * HOUR_MS;
  const groups: Wanted[][] = [];
  for (const one of wanted.toSorted((a, b) => (a.query.from < b.query.from ? -1 : 1))) {
    const group = groups.at(-1);
    const first = group?.[0];
    const isNear = first !== undefined && fromTimestamp(one.query.from) - fromTimestamp(first.query.from) <= spreadMs;
    if (group !== undefined && isNear && group.length < MAX_BUYS) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** Asks for a group and records it; answers those of which there is more to ask. */
async function askFor(round: Round, group: readonly Wanted[]): Promise<Wanted[]> {
  const { deps, description, results } = round;
  let statement: Statement;
  try {
    const askAgainMs = await deps.reports.take(description.limits.reports_per_hour);
    if (askAgainMs !== undefined) {
      for (const { flight, recorded: recorded_until } of group) {
        const known = { recorded_until, asked_at: flight.asked_at, is_delayed: false, is_spent: false };
        results.set(flight.buy.media_buy_id, { ...known, is_final: false, askAgainMs });
      }
      return [];
    }
    const from = group.map(({ query }) => query.from).sort()[0] ?? '';
    const until =
      group
        .map(({ query }) => query.until)
        .sort()
        .at(-1) ?? '';
    const media_buy_ids = group.map(({ flight }) => flight.buy.media_buy_id);
    statement = await askStatement(deps.adServer, { media_buy_ids, from, until });
  } catch (fault) {
    // One buy's part may be what breaks the whole.
    if (fault instanceof Broken && group.length > 1) {
      const half = Math.ceil(group.length / 2);
      return [...(await askFor(round, group.slice(0, half))), ...(await askFor(round, group.slice(half)))];
    }
    for (const { flight } of group) results.set(flight.buy.media_buy_id, { fault });
    return [];
  }
  tellForeign(deps, group, statement);
  const again: Wanted[] = [];
  await eachAtOnce(group, AT_ONCE, async (one) => {
    const { media_buy_id } = one.flight.buy;
    try {
      const recorded = await recordWanted(deps, one, statement, description.statements);
      if (recorded === undefined) again.push(one);
      else results.set(media_buy_id, recorded);
    } catch (fault) {
      results.set(media_buy_id, { fault });
    }
  });
  return again;
}

/** Rows of buys that were not asked for belong to nobody: nothing is recorded of them. */
function tellForeign({ log }: StatementDependencies, group: readonly Wanted[], { rows }: Statement): void {
  const asked = new Set<string>(group.map(({ flight }) => flight.buy.media_buy_id));
  const foreign = new Set(rows.flatMap(({ media_buy_id }) => (asked.has(media_buy_id) ? [] : [media_buy_id])));
  if (foreign.size === 0) return;
  const problems = [...foreign].map((media_buy_id) => ({ lie: 'unknown_buy', media_buy_id }));
  log.error({ problems }, 'a statement of the ad server has rows of media buys that it was not asked for');
}
