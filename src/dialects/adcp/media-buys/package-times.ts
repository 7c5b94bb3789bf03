import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { lineEnd, lineStart } from '../../../sales/media-buy/media-buy-package.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { Instant } from '../../../platform/instant.ts';

/** When a media buy runs, as it is asked for or stands. */
export interface FlightAround {
  /** `asap`, or an instant. */
  start: string;
  end: string;
  /** Milliseconds since the Unix epoch. */
  nowMs: number;
}

/**
 * The times of a package that is booked, where they are its own: what says the media buy's is left out, so that the package goes along
 * wherever that is moved. Whether they lie within the flight, the task tells.
 * @param at where the package stands, such as `packages[0].`.
 * @throws {AppError} `INVALID_REQUEST` for what is no date-time, with the field.
 */
export function ownTimesAsked(one: JsonObject, at: string, flight: FlightAround): JsonObject {
  const startMs = instantOf(one, 'start_time', at);
  const endMs = instantOf(one, 'end_time', at);
  return {
    ...(startMs !== undefined && !beginsWith(startMs, flight) && { start_time: one['start_time'] }),
    ...(endMs !== undefined && endMs !== Date.parse(flight.end) && { end_time: one['end_time'] }),
  };
}

/**
 * A package that is booked keeps its times, so what a change says of them must be what stands, or what the same change makes of the media
 * buy's: what lies outside the flight is wrong, and what would be another is not done here.
 * @param at where the package stands, such as `packages[0].`.
 * @param booked the package, where the media buy has it.
 * @throws {AppError} `INVALID_REQUEST`, `UNSUPPORTED_FEATURE`, with the field.
 */
export function assertTimesStand(
  one: JsonObject,
  at: string,
  flight: FlightAround,
  booked: { buy: MediaBuy; line: MediaBuy['packages'][number] } | undefined,
): void {
  const startMs = instantOf(one, 'start_time', at);
  const endMs = instantOf(one, 'end_time', at);
  if (startMs !== undefined && endMs !== undefined && endMs <= startMs) {
    throw invalidRequest(`${at}end_time`, 'the end must be after the start');
  }
  const own = booked && { start: lineStart(booked.buy, booked.line), end: lineEnd(booked.buy, booked.line) };
  const hasOwnStart = own !== undefined && own.start !== booked?.buy.start_time;
  const hasOwnEnd = own !== undefined && own.end !== booked?.buy.end_time;
  if (
    startMs !== undefined &&
    startMs !== Date.parse(own?.start ?? '') &&
    (hasOwnStart || !beginsWith(startMs, flight))
  ) {
    if (startMs < Date.parse(flight.start)) {
      throw invalidRequest(`${at}start_time`, 'is before the media buy begins; send its start_time, or leave it out');
    }
    throw moved(`${at}start_time`);
  }
  const stands = hasOwnEnd ? own.end : flight.end;
  if (endMs === undefined || endMs === Date.parse(stands)) return;
  if (endMs > Date.parse(flight.end)) {
    throw invalidRequest(`${at}end_time`, 'is after the media buy ends; send its end_time, or leave it out');
  }
  throw moved(`${at}end_time`);
}

/** Whatever may have begun by now begins with a media buy that begins as soon as it can. */
function beginsWith(startMs: number, { start, nowMs }: FlightAround): boolean {
  return start === 'asap' ? startMs <= nowMs : startMs === Date.parse(start);
}

function instantOf(one: JsonObject, name: 'start_time' | 'end_time', at: string): number | undefined {
  const value = one[name] ?? undefined;
  if (value === undefined) return undefined;
  const { data, error } = Instant.safeParse(value);
  if (data === undefined) throw invalidRequest(`${at}${name}`, error.issues[0]?.message ?? 'is no date-time');
  return Date.parse(data);
}

function moved(field: string): AppError {
  const suggestion = 'leave it out, or add a package by new_packages and pause this one';
  const message = `${field}: a package keeps the times that it was booked with`;
  return new AppError('UNSUPPORTED_FEATURE', message, { field, suggestion });
}
