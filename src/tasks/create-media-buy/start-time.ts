import { z } from 'zod';
import { Instant } from '../../platform/instant.ts';

/** When a buy starts: the object form, or the string form (rule B5). */
export const StartTime = z
  .union([
    z.literal('asap'),
    Instant,
    z.strictObject({ type: z.literal('asap') }),
    z.strictObject({ type: z.literal('scheduled'), datetime: Instant }),
  ])
  .describe('RFC 3339 with an offset, or as soon as possible.');
export type StartTime = z.infer<typeof StartTime>;

/** The instant meant, in milliseconds; `asap` is the earliest possible. */
export function startInstant(start: StartTime, earliestMs: number): number {
  if (start === 'asap') return earliestMs;
  if (typeof start === 'string') return Date.parse(start);
  return start.type === 'asap' ? earliestMs : Date.parse(start.datetime);
}
