import type { JsonObject } from '../../platform/json-object.ts';

/** Of a row, the fields asked for, if any were; those that every such row must have stay. Pure. */
export function projected(
  row: JsonObject,
  fields: readonly string[] | undefined,
  always: ReadonlySet<string>,
): JsonObject {
  if (fields === undefined || fields.length === 0) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => always.has(name) || fields.includes(name)));
}
