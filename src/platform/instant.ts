import { z } from 'zod';
import { fromTimestamp } from './clock.ts';

/** What is said of text that is no date-time, in words or by what it is instead. */
type Wrong = string | ((issue: { input?: unknown }) => string);

/**
 * A date-time of RFC 3339 with its offset, in the years that have four digits in UTC, too: others are neither written nor sorted as
 * these.
 * @param wrong what is said of anything else, with an example
 */
export function instantField(wrong: Wrong) {
  return z.iso
    .datetime({ offset: true, error: wrong })
    .refine((text) => !isBeyond(Date.parse(text)), 'send a date-time in the years 0000 to 9999 of UTC');
}

const [FIRST_MS, LAST_MS] = [fromTimestamp('0000-01-01T00:00:00.000Z'), fromTimestamp('9999-12-31T23:59:59.999Z')];

/** Of what is no date-time, nothing is said here. */
function isBeyond(ms: number): boolean {
  return ms < FIRST_MS || ms > LAST_MS;
}

/** What a buyer's instants are, in tasks of either protocol (rule B5). */
export const Instant = instantField('send an RFC 3339 date-time with an offset, such as 2027-01-15T09:00:00Z');
