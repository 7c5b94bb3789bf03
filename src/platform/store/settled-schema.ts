import type { z } from 'zod';

/** Whose answers change nothing when they are asked again: they only judge, or fill in what is missing. */
const SETTLED: ReadonlySet<string> = new Set([
  ...[
    'string',
    'number',
    'boolean',
    'null',
    'literal',
    'enum',
    'template_literal',
    'unknown',
    'any',
    'never',
    'custom',
  ],
  ...['object', 'array', 'record', 'tuple', 'union', 'intersection', 'lazy'],
  ...['optional', 'nullable', 'nonoptional', 'default', 'prefault', 'readonly'],
]);

/**
 * Whether what this schema has answered, written as JSON and read again, is answered by it as it is: so it need not be asked twice. Not
 * so where anything in it transforms or falls back, nor for what JSON does not hold.
 */
export function isSettled(schema: z.ZodType): boolean {
  const seen = new Set<z.core.$ZodType>();
  const waiting: z.core.$ZodType[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const { def } = (next as z.core.$ZodTypes)._zod;
    if (!SETTLED.has(def.type)) return false;
    waiting.push(...innerOf(def));
  }
  return true;
}

function innerOf(def: z.core.$ZodTypes['_zod']['def']): z.core.$ZodType[] {
  switch (def.type) {
    case 'object':
      return [...Object.values(def.shape), ...(def.catchall ? [def.catchall] : [])];
    case 'array':
      return [def.element];
    case 'record':
      return [def.keyType, def.valueType];
    case 'tuple':
      return [...def.items, ...(def.rest ? [def.rest] : [])];
    case 'union':
      return [...def.options];
    case 'intersection':
      return [def.left, def.right];
    case 'lazy':
      return [def.getter()];
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
      return [def.innerType];
    default:
      return [];
  }
}
