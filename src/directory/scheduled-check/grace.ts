import { fromTimestamp } from '../../platform/clock.ts';

/** What a file said is believed this long after it could last be read, in milliseconds (rule R15). */
export const STALE_MS = 7 * 24 * 3_600_000;
/** A file that is gone goes on counting for this long: it may be a mistake of a release. In milliseconds. */
export const ABSENT_MS = 24 * 3_600_000;

/** Whether a time is at least so long ago. Never counts as long ago. */
export function isOlderThan(ms: number, time: string | null, nowMs: number): boolean {
  return time === null || nowMs - fromTimestamp(time) >= ms;
}
