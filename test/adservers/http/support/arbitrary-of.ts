import fc from 'fast-check';
import type { z } from 'zod';

interface Def {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  options?: z.ZodType[];
  entries?: Record<string, string>;
  values?: unknown[];
  keyType?: z.ZodType;
  valueType?: z.ZodType;
  checks?: { _zod: { def: { check: string; minimum?: number; pattern?: RegExp } } }[];
}

/**
 * Values that fit a schema, optional ones left out now and then, as JSON brings them. What a schema refines beyond its form is
 * met by trying.
 * @throws for a kind of schema that it does not know.
 */
export function arbitraryOf<T>(schema: z.ZodType<T>): fc.Arbitrary<T> {
  return anyOf(schema)
    .map((value) => JSON.parse(JSON.stringify(value)) as T)
    .filter((value) => schema.safeParse(value).success);
}

function anyOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const def = schema.def as unknown as Def;
  switch (def.type) {
    case 'object':
      return objectOf(def.shape ?? {});
    case 'array':
      return fc.array(anyOf(part(def.element)), { minLength: leastLength(schema), maxLength: 3 });
    case 'record':
      return recordOf(part(def.keyType), part(def.valueType));
    case 'union':
      return fc.oneof(...(def.options ?? []).map(anyOf));
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries ?? {}));
    case 'literal':
      return fc.constantFrom(...(def.values ?? []));
    case 'boolean':
      return fc.boolean();
    case 'number':
      return numberOf(schema);
    case 'string':
      return stringOf(schema);
    case 'unknown':
      return fc.jsonValue({ maxDepth: 2 });
    default:
      throw new Error(`no values are known for a schema of type ${def.type}`);
  }
}

function objectOf(shape: Record<string, z.ZodType>): fc.Arbitrary<unknown> {
  const isOptional = (schema: z.ZodType) => schema.type === 'optional';
  const values = Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => [
      key,
      anyOf(isOptional(schema) ? part((schema.def as unknown as Def).innerType) : schema),
    ]),
  );
  const requiredKeys = Object.keys(shape).filter((key) => !isOptional(part(shape[key])));
  return fc.record(values, { requiredKeys });
}

function recordOf(keyType: z.ZodType, valueType: z.ZodType): fc.Arbitrary<unknown> {
  const keys = keyType.def.type === 'string' ? fc.string({ unit: 'grapheme', minLength: 1 }) : anyOf(keyType);
  // What is named so is left out by every schema.
  const named = (keys as fc.Arbitrary<string>).filter((key) => key !== '__proto__');
  return fc.dictionary(named, anyOf(valueType), { maxKeys: 3 });
}

function numberOf(schema: z.ZodType): fc.Arbitrary<number> {
  const { format, minValue, maxValue } = schema as unknown as { format?: string; minValue: number; maxValue: number };
  if (format === 'safeint') {
    const max = Number.isFinite(maxValue) ? maxValue : Number.MAX_SAFE_INTEGER;
    return fc.integer({ min: Math.max(minValue, Number.MIN_SAFE_INTEGER), max });
  }
  return fc.double({ min: Math.max(minValue, 0.001), max: Math.min(maxValue, 1e9), noNaN: true });
}

function stringOf(schema: z.ZodType): fc.Arbitrary<string> {
  const format = (schema as unknown as { format?: string | null }).format;
  if (format === 'datetime')
    return fc.date({ min: LEAST, max: MOST, noInvalidDate: true }).map((at) => at.toISOString());
  const pattern = checksOf(schema).find(({ check }) => check === 'string_format')?.pattern;
  if (pattern !== undefined) return fc.stringMatching(pattern);
  if (schema.safeParse('USD').success && !schema.safeParse('?').success) return fc.constantFrom('USD', 'JPY', 'KWD');
  return fc.oneof(fc.string({ unit: 'grapheme', minLength: leastLength(schema) }), fc.constantFrom(...AWKWARD));
}

const LEAST = new Date('0001-01-01T00:00:00.000Z');
const MOST = new Date('9999-12-31T23:59:59.999Z');

/** Names and ids that have broken paths and parsers elsewhere. */
const AWKWARD = [
  ...['mb_1', 'a/b', '../x', '.', '..', '...', '~', '~.', '%', '%2F', '%2e%2e', 'a b', 'a+b', 'a?b=c#d', 'a;b&c'],
  ...['[mb]', '"quoted"', "it's", '{id}', ':id', '*', '\\', '🦊🇫🇷', 'ż', '\u202e', '\u0000', '\n', 'x'.repeat(255)],
];

function leastLength(schema: z.ZodType): number {
  return checksOf(schema).find(({ check }) => check === 'min_length')?.minimum ?? 0;
}

function checksOf(schema: z.ZodType) {
  return ((schema.def as unknown as Def).checks ?? []).map(({ _zod }) => _zod.def);
}

function part(schema: z.ZodType | undefined): z.ZodType {
  if (schema === undefined) throw new Error('a schema lacks its part');
  return schema;
}
