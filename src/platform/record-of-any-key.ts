import { z } from 'zod';
import { isObject } from './json-object.ts';

/**
 * A record whose keys somebody else chose: each is kept, `__proto__` too, which zod's own record leaves out. For answers.
 * @throws {z.ZodError} out of parsing, for a value that does not fit.
 */
export function recordOfAnyKey<V>(values: z.ZodType<V>, description: string): z.ZodType<Record<string, V>> {
  const { $schema: _dialect, ...shown } = z.toJSONSchema(z.record(z.string(), values), { unrepresentable: 'any' });
  return z
    .custom<Record<string, unknown>>(isObject)
    .transform((record) => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, values.parse(value)])))
    .meta({ ...shown, description });
}
