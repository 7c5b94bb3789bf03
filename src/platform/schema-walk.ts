import type { z } from 'zod';

interface Definition {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
}

/** The names that an object schema knows at a place of the input; empty where no object is expected. */
export function knownKeysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const definition = schema._zod.def as unknown as Definition;
  const [step, ...rest] = path;
  const inner = definition.innerType ?? definition.in;
  if (inner !== undefined) return knownKeysAt(inner, path);
  if (definition.options !== undefined) return definition.options.flatMap((option) => knownKeysAt(option, path));
  if (step === undefined) return Object.keys(definition.shape ?? {});
  const next = definition.shape?.[String(step)] ?? definition.element ?? definition.valueType;
  return next === undefined ? [] : knownKeysAt(next, rest);
}
