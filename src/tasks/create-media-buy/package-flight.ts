import { toTimestamp } from '../../platform/clock.ts';
import type { Problem } from '../../platform/errors.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { flightProblems } from '../../sales/product/flight-limits.ts';
import type { Product } from '../../sales/product/product.ts';
import type { PackageRequest } from './schema.ts';

/** How far a start in the past is taken as "now", for clocks that differ. */
export const START_TOLERANCE_MS = 5 * 60_000;

/** A flight, in milliseconds. */
interface FlightMs {
  startMs: number;
  endMs: number;
}

type Times = Pick<PackageRequest, 'start_time' | 'end_time'>;

/** Whether a package says of itself when it runs. Pure. */
export function hasOwnFlight({ start_time, end_time }: Times): boolean {
  return start_time !== undefined || end_time !== undefined;
}

/** When a package runs: as it says itself, else as its media buy does. Pure. */
export function ownFlight({ start_time, end_time }: Times, { startMs, endMs }: FlightMs): FlightMs {
  return {
    startMs: start_time === undefined ? startMs : Date.parse(start_time),
    endMs: end_time === undefined ? endMs : Date.parse(end_time),
  };
}

/** The same as a row has it, which says nothing where the package runs with its media buy. Pure. */
export function ownTimes(own: FlightMs, buy: FlightMs): Pick<MediaBuyPackage, 'start_time' | 'end_time'> {
  return {
    ...(own.startMs > buy.startMs && { start_time: toTimestamp(own.startMs) }),
    ...(own.endMs < buy.endMs && { end_time: toTimestamp(own.endMs) }),
  };
}

/**
 * What is wrong with the times of a package that has some of its own: they lie within the media buy's flight, and the product is sold for
 * such a flight (rule B5.package-flight). Pure.
 * @param at where the package stands in the request.
 */
export function ownFlightProblems(
  wanted: Times,
  at: readonly PropertyKey[],
  { flight, product, orderedMs }: { flight: FlightMs; product: Product | undefined; orderedMs: number },
): Problem[] {
  if (!hasOwnFlight(wanted)) return [];
  const { startMs, endMs } = ownFlight(wanted, flight);
  const wrong = (end: keyof Times, message: string): Problem[] => [
    { code: 'INVALID_REQUEST', path: [...at, end], message },
  ];
  if (startMs < flight.startMs - START_TOLERANCE_MS)
    return wrong('start_time', `is before the media buy begins, ${toTimestamp(flight.startMs)}`);
  if (endMs > flight.endMs) return wrong('end_time', `is after the media buy ends, ${toTimestamp(flight.endMs)}`);
  if (endMs <= startMs) {
    return wrong(wanted.end_time === undefined ? 'start_time' : 'end_time', 'the end must be after the start');
  }
  if (product === undefined) return [];
  return flightProblems(product, { orderedMs, startMs, endMs }).map(({ end, message, suggestion }): Problem => {
    const isStart = wanted.end_time === undefined || (end === 'start' && wanted.start_time !== undefined);
    return { code: 'INVALID_REQUEST', path: [...at, isStart ? 'start_time' : 'end_time'], message, suggestion };
  });
}
