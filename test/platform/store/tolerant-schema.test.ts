import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newRowSchema, strippedSchema, tolerantSchema } from '../../../src/platform/store/tolerant-schema.ts';

const Leaf = z.strictObject({ n: z.int().default(3) });
const Row = z.strictObject({
  list: z.array(Leaf),
  record: z.record(z.string(), Leaf),
  tuple: z.tuple([Leaf], Leaf),
  kind: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('a'), leaf: Leaf }),
    z.strictObject({ kind: z.literal('b') }),
  ]),
  either: z.union([z.strictObject({ x: z.string() }), z.strictObject({ y: z.string() })]),
  both: z.intersection(z.object({ p: Leaf }), z.object({ q: Leaf })),
  optional: Leaf.optional(),
  nullable: Leaf.nullable(),
  fallback: Leaf.prefault({}),
  lazy: z.lazy(() => Leaf),
  piped: Leaf.transform((leaf) => leaf),
  checked: z.object({ even: z.int() }).refine(({ even }) => even % 2 === 0),
  readonly: Leaf.readonly(),
});

const leaf = { n: 1, newer: 'kept' };
const row = {
  list: [leaf],
  record: { a: leaf },
  tuple: [leaf, leaf],
  kind: { kind: 'a', leaf, newer: 'kept' },
  either: { y: 'y', newer: 'kept' },
  both: { p: leaf, q: leaf, newer: 'kept' },
  optional: leaf,
  nullable: leaf,
  fallback: leaf,
  lazy: leaf,
  piped: leaf,
  checked: { even: 2, newer: 'kept' },
  readonly: leaf,
};

describe('[S6] a tolerant schema', () => {
  it('keeps keys it does not name, in every kind of schema that holds others', () => {
    expect(tolerantSchema(Row).parse({ ...row, newer: 'kept' })).toEqual({ ...row, newer: 'kept' });
  });

  it('keeps defaults and refinements, and refuses what the schema refuses but unknown keys', () => {
    expect(tolerantSchema(Row).parse({ ...row, optional: {} }).optional).toEqual({ n: 3 });
    for (const wrong of [{ list: [{ n: 'x' }] }, { checked: { even: 1 } }, { kind: { kind: 'c' } }, { tuple: [] }]) {
      expect(tolerantSchema(Row).safeParse({ ...row, ...wrong }).success).toBe(false);
      expect(Row.safeParse({ ...row, ...wrong }).success).toBe(false);
    }
  });

  it('leaves the schema it was made of as it was', () => {
    tolerantSchema(Row);
    expect(Row.shape.list.safeParse([leaf]).success).toBe(false);
  });

  it('of one that holds itself keeps them at every depth, and refuses what does not fit there', () => {
    const Node = z.strictObject({
      name: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    const tree = { name: 'a', newer: 1, children: [{ name: 'b', newer: 2, children: [{ name: 'c', children: [] }] }] };
    expect(tolerantSchema(Node).parse(tree)).toEqual(tree);
    expect(newRowSchema(z.strictObject({ root: Node })).parse({ root: tree, newer: 3 })).toEqual({ root: tree });
    expect(tolerantSchema(Node).safeParse({ name: 'a', children: [{ name: 5, children: [] }] }).success).toBe(false);
  });

  it('of a new row keeps unknown keys in its parts only', () => {
    expect(newRowSchema(Row).parse({ ...row, newer: 1 })).toEqual(row);
    expect(newRowSchema(z.union([Row, Leaf])).parse({ n: 1, newer: 1 })).toEqual({ n: 1 });
  });
});

it('a stripped schema drops what it does not name, at any depth, also where the schema would refuse it', () => {
  const schema = z.strictObject({
    lines: z.array(z.strictObject({ a: z.int() })),
    by_name: z.record(z.string(), z.object({ b: z.int() }).nullable()),
    free: z.looseObject({}),
  });
  const row = { lines: [{ a: 1, x: 1 }], by_name: { one: { b: 1, x: 1 }, two: null }, free: { kept: 1 }, x: 1 };
  const stripped = { lines: [{ a: 1 }], by_name: { one: { b: 1 }, two: null }, free: { kept: 1 } };
  expect(strippedSchema(schema).parse(row)).toEqual(stripped);
});
