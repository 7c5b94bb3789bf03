import { z } from 'zod';
import { fromTimestamp } from '../platform/clock.ts';

/**
 * A date-time in a query or a body, in the years that have four digits in UTC, too: others are neither written nor sorted as these.
 * A `+` that came unescaped in a query is a blank by then, which is told.
 */
export function instantParam() {
  return z.iso
    .datetime({
      offset: true,
      error: ({ input }) =>
        typeof input === 'string' && /\d \d\d:?\d\d$/.test(input)
          ? 'send the offset with its sign: in a query, a + is written %2B'
          : 'send a date-time with an offset, such as 2026-06-30T00:00:00Z',
    })
    .refine((text) => !isBeyond(Date.parse(text)), 'send a date-time in the years 0000 to 9999 of UTC');
}

const [FIRST_MS, LAST_MS] = [fromTimestamp('0000-01-01T00:00:00.000Z'), fromTimestamp('9999-12-31T23:59:59.999Z')];

/** Of what is no date-time, nothing is said here. */
function isBeyond(ms: number): boolean {
  return ms < FIRST_MS || ms > LAST_MS;
}
