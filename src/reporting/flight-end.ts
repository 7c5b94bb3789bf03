import { fromTimestamp } from '../platform/clock.ts';
import { ceilHour } from '../platform/hours.ts';
import type { FlightClock } from '../sales/flight/flight-clock.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../sales/media-buy/transitions.ts';

/** When a buy reached its terminal state, by the wall clock; undefined while it has not. */
export function endedAt({ status, history, updated_at }: MediaBuy): string | undefined {
  if (!isTerminalBuy(status)) return undefined;
  return history.find(({ to_status }) => isTerminalBuy(to_status))?.at ?? updated_at;
}

/** The instant of the flight, on the hour, after which a buy that is over delivers nothing; undefined while it is not. */
export function endOfFlight(buy: MediaBuy, flightClock: FlightClock): number | undefined {
  const at = endedAt(buy);
  if (at === undefined) return undefined;
  return Math.min(ceilHour(flightClock.at(buy, fromTimestamp(at))), lastHour(buy));
}

/** Where a flight ends at the latest, on the hour. */
export function lastHour({ end_time }: Pick<MediaBuy, 'end_time'>): number {
  return ceilHour(fromTimestamp(end_time));
}
