import { z } from 'zod';
import type { CollectionSpec, Row } from './collection.ts';
import { counterOf } from './collection-rows.ts';

/** What a schema says about one top-level field. */
export interface FieldShape {
  /** JSON types other than null; empty when the schema does not say. */
  types: ReadonlySet<string>;
  /** The field may be null or missing. */
  nullable: boolean;
  /** A row that lacks the field is read with a default, which no index and no query knows of. */
  hasDefault: boolean;
}

/** Top-level fields by name. */
export type RowShape = ReadonlyMap<string, FieldShape>;

/** What was found of schemas, which takes long: each store that is opened asks again. */
const found = new WeakMap<z.ZodType, RowShape>();

/**
 * Checks a declaration and answers the shape of its rows.
 * @throws {Error} for a mistake in the declaration: names, unknown or loose fields, a nullable unique field that is
 * not a string, an indexed field with a default.
 */
export function rowShape<R extends Row>(spec: CollectionSpec<R>): RowShape {
  const shape = fieldsOf(spec);
  const known = (field: string, use: string) => {
    const its = shape.get(field);
    if (!its) throw new Error(`${use} of collection ${spec.name} names an unknown field: ${field}`);
    if (its.hasDefault)
      throw new Error(
        `${use} of collection ${spec.name} names ${field}, which has a default: rows from before it would not be found; ` +
          'make it optional, or fill it by a migration',
      );
    return its;
  };
  assertName(spec.name, 'collection');
  for (const field of shape.keys()) assertName(field, `field of ${spec.name}`);
  known(spec.key, 'the key');
  known(counterOf(spec), 'the counter');
  if (spec.expires !== undefined) known(spec.expires, 'the expiry');
  for (const index of spec.indexes) {
    assertName(index.name, `index of ${spec.name}`);
    if (index.fields.length === 0) throw new Error(`index ${index.name} of ${spec.name} has no fields`);
    for (const field of [...Object.keys(index.where ?? {}), ...(index.holds ?? [])])
      known(field, `index ${index.name}`);
    if (index.unique && index.holds) throw new Error(`unique index ${index.name} of ${spec.name} holds other fields`);
    for (const field of index.fields) {
      const { types, nullable } = known(field, `index ${index.name}`);
      if (index.unique && nullable && ![...types].every((type) => type === 'string'))
        throw new Error(`unique index ${index.name} of ${spec.name}: field ${field} may be null but is not a string`);
    }
  }
  return shape;
}

function assertName(name: string, what: string): void {
  if (!/^[a-z][a-zA-Z0-9_]{0,62}$/.test(name)) throw new Error(`not a name for a ${what}: ${name}`);
}

function fieldsOf<R extends Row>({ schema, name }: CollectionSpec<R>): RowShape {
  const known = found.get(schema);
  if (known !== undefined) return known;
  const shape = new Map<string, FieldShape>();
  collectFields(schema, name, shape);
  found.set(schema, shape);
  return shape;
}

function collectFields(schema: z.ZodType, collection: string, into: Map<string, FieldShape>): void {
  visit(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' }));

  function visit(node: z.core.JSONSchema.BaseSchema): void {
    const branches = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
    for (const branch of branches) visit(branch);
    if (branches.length > 0) return;
    if (node.type !== 'object' || node.additionalProperties !== false)
      throw new Error(`rows of ${collection} need a schema of known top-level fields (z.object)`);
    for (const [field, property] of Object.entries(node.properties ?? {})) {
      const types = typesOf(property);
      const nullable = types.has('null') || !node.required?.includes(field);
      const hasDefault = typeof property === 'object' && property.default !== undefined;
      types.delete('null');
      const earlier = into.get(field);
      into.set(field, {
        types: new Set([...types, ...(earlier?.types ?? [])]),
        nullable: nullable || (earlier?.nullable ?? false),
        hasDefault: hasDefault || (earlier?.hasDefault ?? false),
      });
    }
  }
}

function typesOf(node: z.core.JSONSchema._JSONSchema): Set<string> {
  if (typeof node === 'boolean') return new Set();
  const own = node.type === undefined ? [] : [node.type].flat();
  const nested = [...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap((branch) => [...typesOf(branch)]);
  return new Set<string>([...own, ...nested]);
}
