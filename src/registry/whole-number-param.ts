import { z } from 'zod';

/** A whole number in a query or a path: text on the wire, an integer in the API's description. */
export function wholeNumberParam(low: number, high: number) {
  const expected = `send a whole number from ${low} to ${high}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, expected)
    .meta({ type: 'integer', minimum: low, maximum: high, pattern: undefined })
    .transform(Number)
    .refine((n) => n >= low && n <= high, expected);
}
