import { toTimestamp } from '../platform/clock.ts';

/** The bounds that are given, RFC 3339 date-times with an offset, as a condition on stored timestamps; none where none is. Pure. */
export function instantRange(
  bounds: Partial<Record<'gt' | 'gte' | 'lt', string | undefined>>,
): Partial<Record<'gt' | 'gte' | 'lt', string>> | undefined {
  const given = Object.entries(bounds).flatMap(([bound, at]) =>
    at === undefined ? [] : [[bound, toTimestamp(Date.parse(at))] as const],
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
