import { z } from 'zod';
import type { JsonObject } from './json-object.ts';

/** Which side of a schema is written down: what is taken, or what is answered. */
export type SchemaSide = 'input' | 'output';

/**
 * A zod schema as JSON Schema (draft 2020-12), always the same text for the same schema. Of an input,
 * `additionalProperties` is false exactly where unknown keys are refused, and what JSON Schema cannot say stands in words
 * at the end of `description`. An output forbids no keys: an answer may have more of them one day.
 * @throws {Error} for a check of an input that no words name: give it a message, or its schema a description.
 */
export function jsonSchemaOf(schema: z.ZodType, side: SchemaSide): JsonObject {
  const override = side === 'input' ? asTaken : asAnswered;
  const made = z.toJSONSchema(schema, { io: side, unrepresentable: 'any', override }) as JsonObject;
  if (!JSON.stringify(made).includes(UNNAMED)) return made;
  throw new Error('a check of an input is named nowhere: give it a message, or its schema a description');
}

/** Stands where a check has no words, until a description around it brings some. */
const UNNAMED = 'a check that nothing names';

interface Written {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}

function asTaken({ zodSchema, jsonSchema }: Written): void {
  const notes = notesOf(zodSchema);
  const description = [descriptionOf(zodSchema) ?? [], notes].flat().join(' ');
  if (description !== '') jsonSchema.description = description;
  if (checksOf(zodSchema).some((check) => check.check === 'custom' && messageOf(check) === undefined))
    jsonSchema.$comment = UNNAMED;
  if (descriptionOf(zodSchema) !== undefined && jsonSchema.$comment === UNNAMED) delete jsonSchema.$comment;
  // Spaces at both ends are dropped before a text is measured.
  if (checksOf(zodSchema).some(({ check }) => check === 'overwrite') && (jsonSchema.minLength ?? 0) > 0) {
    jsonSchema.pattern ??= '\\S';
  }
  if (jsonSchema.additionalProperties === false) leaveOutNever(jsonSchema);
}

function asAnswered({ jsonSchema }: Written): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** A member that nothing fits is refused like an unknown one. */
function leaveOutNever(object: z.core.JSONSchema.BaseSchema): void {
  const members = Object.entries(object.properties ?? {});
  object.properties = Object.fromEntries(
    members.filter(([, member]) => typeof member !== 'object' || JSON.stringify(member.not) !== '{}'),
  );
}

interface Definition {
  checks?: readonly { _zod: { def: Check } }[];
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
}

interface Check {
  check: string;
  error?: (issue: object) => string | { message: string } | null | undefined;
  path?: readonly PropertyKey[];
}

function checksOf(schema: z.core.$ZodType): Check[] {
  return (definitionOf(schema).checks ?? []).map(({ _zod }) => _zod.def);
}

function definitionOf(schema: z.core.$ZodType): Definition {
  return schema._zod.def as unknown as Definition;
}

/** The schema that this one wraps, for the same place of the input. */
function within(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { innerType, in: taken } = definitionOf(schema);
  return innerType ?? taken;
}

function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const inner = within(schema);
  return z.globalRegistry.get(schema)?.description ?? (inner && descriptionOf(inner));
}

/** The schema's own checks, in sentences. */
function notesOf(schema: z.core.$ZodType): string[] {
  const inner = within(schema);
  const own = checksOf(schema).flatMap((check) => {
    const message = check.check === 'custom' ? messageOf(check) : undefined;
    return message === undefined ? [] : [sentence(message, check.path)];
  });
  return [...new Set([...(inner === undefined ? [] : notesOf(inner)), ...own])];
}

function messageOf({ error }: Check): string | undefined {
  const told = error?.({ code: 'custom', path: [] });
  return typeof told === 'string' ? told : told?.message;
}

function sentence(message: string, path: readonly PropertyKey[] = []): string {
  if (path.length > 0) return `${path.join('.')} ${message}.`;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
