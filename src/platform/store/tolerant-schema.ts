import { z } from 'zod';

/**
 * The same schema, save that its objects keep keys they do not name, at any depth: what a newer release wrote beside the
 * fields this one knows survives being read and written back. Refinements, transforms and defaults stay.
 */
export function tolerantSchema<S extends z.ZodType>(schema: S): S {
  return loosened(schema, new Map(), 'kept') as S;
}

/** The same schema, save that its objects drop keys they do not name, at any depth, also where they would refuse them. */
export function strippedSchema<S extends z.ZodType>(schema: S): S {
  return loosened(schema, new Map(), 'dropped') as S;
}

/**
 * As {@link tolerantSchema}, save that the row itself loses keys that are not declared: for new rows, which have no keys but ours, though
 * parts of them may be copied from rows of a newer release.
 */
export function newRowSchema<S extends z.ZodType>(schema: S): S {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return z.core.clone(schema, { ...def, options: def.options.map(rowOf) } as never);
  return rowOf(schema) as S;
}

function rowOf(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type !== 'object') return schema;
  const loose = (loosened(schema, new Map(), 'kept') as z.core.$ZodObject)._zod.def;
  const { catchall: _catchall, ...own } = loose;
  return z.core.clone(schema, own);
}

/** Schemas and what they became; undefined for one that is being gone through. */
type Known = Map<z.core.$ZodType, z.core.$ZodType | undefined>;

function loosened(schema: z.core.$ZodType, known: Known, unnamed: 'kept' | 'dropped'): z.core.$ZodType {
  const present = known.get(schema);
  if (present !== undefined) return present;
  // It holds itself, by a getter: what it becomes is known by the time that anything is parsed.
  if (known.has(schema)) return z.lazy(() => known.get(schema) ?? schema);
  known.set(schema, undefined);
  const inner = (part: z.core.$ZodType) => loosened(part, known, unnamed);
  const def = changedDef((schema as z.core.$ZodTypes)._zod.def, inner, unnamed);
  const made = def === undefined ? schema : z.core.clone(schema, def);
  known.set(schema, made);
  return made;
}

/** The definition with every schema in it made tolerant; undefined for one that holds no other schema. */
function changedDef(
  def: z.core.$ZodTypes['_zod']['def'],
  inner: (schema: z.core.$ZodType) => z.core.$ZodType,
  unnamed: 'kept' | 'dropped',
): z.core.$ZodTypeDef | undefined {
  switch (def.type) {
    case 'object': {
      const shape = Object.fromEntries(Object.entries(def.shape).map(([key, field]) => [key, inner(field)]));
      const catchall = def.catchall?._zod.def.type === 'never' ? undefined : def.catchall;
      const { catchall: _catchall, ...own } = def;
      const rest = catchall ? inner(catchall) : unnamed === 'kept' ? z.unknown() : undefined;
      const object: z.core.$ZodObjectDef = { ...own, shape, ...(rest && { catchall: rest }) };
      return object;
    }
    case 'array': {
      const array: z.core.$ZodArrayDef = { ...def, element: inner(def.element) };
      return array;
    }
    case 'record': {
      const record: z.core.$ZodRecordDef = { ...def, valueType: inner(def.valueType) };
      return record;
    }
    case 'tuple': {
      const tuple: z.core.$ZodTupleDef = {
        ...def,
        items: def.items.map(inner),
        rest: def.rest === null ? null : inner(def.rest),
      };
      return tuple;
    }
    case 'union': {
      const union: z.core.$ZodUnionDef = { ...def, options: def.options.map(inner) };
      return union;
    }
    case 'intersection': {
      const both: z.core.$ZodIntersectionDef = { ...def, left: inner(def.left), right: inner(def.right) };
      return both;
    }
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly': {
      const wrapped: z.core.$ZodTypeDef & { innerType: z.core.$ZodType } = { ...def, innerType: inner(def.innerType) };
      return wrapped;
    }
    case 'pipe': {
      const pipe: z.core.$ZodPipeDef = { ...def, in: inner(def.in), out: inner(def.out) };
      return pipe;
    }
    case 'lazy': {
      // Not all of `def`: zod keeps there what the getter gave once.
      const lazy: z.core.$ZodLazyDef = { type: 'lazy', getter: () => inner(def.getter()) };
      return lazy;
    }
    default:
      return undefined;
  }
}
