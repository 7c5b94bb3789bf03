import type { z } from 'zod';
import type { Problem } from './errors.ts';
import { jsonPointer } from './field-path.ts';
import { holdsMoreThan } from './intake/holds-more.ts';
import { INPUT_LIMITS } from './intake/input-limits.ts';
import { isObject } from './json-object.ts';

/** What of an input fits a schema. */
export interface FittingParts<T> {
  parts: T;
  /** Where in the input something of the parts stands. */
  placeOf: (path: readonly PropertyKey[]) => PropertyKey[];
}

/** Each round leaves out what the one before found; what then lacks something is found in the next. */
const MAX_ROUNDS = 8;

/**
 * An input without what does not fit the schema, so that the rest can be judged; undefined where nothing is left, or it is so large
 * that its problems are not told one by one. What an
 * object must have and lacks takes the object with it: a schema for this has its fields optional where they can be missed.
 */
export function fittingParts<T>(schema: z.ZodType<T>, input: unknown): FittingParts<T> | undefined {
  if (holdsMoreThan(INPUT_LIMITS.explainedValues, input)) return undefined;
  const misfits = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { value, placeOf } = without(input, misfits);
    const parsed = schema.safeParse(value);
    if (parsed.success) return { parts: parsed.data, placeOf };
    for (const path of parsed.error.issues.flatMap(placesOf)) {
      const misfit = valueAt(value, path) === undefined ? path.slice(0, -1) : path;
      if (misfit.length === 0) return undefined;
      misfits.add(jsonPointer(placeOf(misfit)));
    }
  }
  return undefined;
}

/** Problems of parts, at the places they stood at in the request. */
export function inPlace({ placeOf }: FittingParts<unknown>, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: placeOf(problem.path) }));
}

function placesOf(issue: z.core.$ZodIssue): PropertyKey[][] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...issue.path, key]);
  return [issue.path];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = (found as unknown[])[Number(step)];
    else if (isObject(found)) found = found[String(step)];
    else return undefined;
  }
  return found;
}

/** A value without what stands at these places, and where each element of its arrays stood. */
function without(
  input: unknown,
  places: ReadonlySet<string>,
): { value: unknown; placeOf: FittingParts<unknown>['placeOf'] } {
  if (places.size === 0) return { value: input, placeOf: (path) => [...path] };
  /** By the pointer of an array as it is now: where its elements stood. */
  const indices = new Map<string, number[]>();
  const copied = (value: unknown, from: string, to: string): unknown => {
    if (Array.isArray(value)) {
      const kept = [...value.keys()].filter((i) => !places.has(`${from}/${i}`));
      indices.set(to, kept);
      return kept.map((i, at) => copied((value as unknown[])[i], `${from}/${i}`, `${to}/${at}`));
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, inner]) => ({ key, inner, step: jsonPointer([key]) }));
    return Object.fromEntries(
      entries
        .filter(({ step }) => !places.has(from + step))
        .map(({ key, inner, step }) => [key, copied(inner, from + step, to + step)]),
    );
  };
  const value = copied(input, '', '');
  return {
    value,
    placeOf: (path) => path.map((step, i) => indices.get(jsonPointer(path.slice(0, i)))?.[Number(step)] ?? step),
  };
}
