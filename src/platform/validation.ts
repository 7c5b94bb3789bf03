import type { z } from 'zod';
import type { ErrorCode, Problem } from './errors.ts';
import { jsonPointer } from './field-path.ts';
import { holdsMoreThan } from './intake/holds-more.ts';
import { INPUT_LIMITS } from './intake/input-limits.ts';
import { issueWords } from './issue-words.ts';
import { nearest } from './nearest-name.ts';
import { refusalOf } from './problem.ts';
import { inRequestOrder } from './request-order.ts';

/**
 * Parses what a caller sent. Every problem is reported at once, in the order of what was sent; see `refusalOf`.
 * @param explainedValues an input that holds more of them is told its first problem; `Infinity` for an operator's own files.
 * @throws {AppError} `VALIDATION_ERROR`, or the code that a custom check put into its `params.code` (rule B12).
 */
export function parseInput<T>(
  schema: z.ZodType<T>,
  input: unknown,
  at: readonly PropertyKey[] = [],
  explainedValues: number = INPUT_LIMITS.explainedValues,
): T {
  const parsed = schema.safeParse(input, holdsMoreThan(explainedValues, input) ? FIRST_ISSUE : ALL_ISSUES);
  if (parsed.success) return parsed.data;
  const problems = explained(parsed.error.issues, schema, input, at);
  throw refusalOf(problems, undefined, problems[0]);
}

const ALL_ISSUES = { reportInput: true };
/** `abortEarly` is zod's own word between `validate` and the schemas: a container that has met a problem goes no further. */
const FIRST_ISSUE = { reportInput: true, abortEarly: true };

/** The first fifty, explained: which they are is decided before anything is looked for (rule S1). */
function explained(
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  input: unknown,
  at: readonly PropertyKey[],
): Problem[] {
  const known = keysByPlace(schema);
  const search = suggester(INPUT_LIMITS.suggestions);
  return inRequestOrder(firstPlaces(issues), input)
    .slice(0, INPUT_LIMITS.issues)
    .flatMap(({ issue }) => explain(issue, at, { known, search }).map((found) => ({ code: codeOf(issue), ...found })))
    .slice(0, INPUT_LIMITS.issues);
}

interface Place {
  path: PropertyKey[];
  issue: z.core.$ZodIssue;
}

/** Of more than are told only these are put in order: a few objects' worth. */
const MOST_PLACES = 20 * INPUT_LIMITS.issues;

/** What is wrong, each unknown key at its own place. */
function firstPlaces(issues: readonly z.core.$ZodIssue[]): Place[] {
  const places: Place[] = [];
  for (const issue of issues) {
    if (places.length >= MOST_PLACES) break;
    if (issue.code !== 'unrecognized_keys') places.push({ path: issue.path, issue });
    else
      for (const key of issue.keys.slice(0, INPUT_LIMITS.issues))
        places.push({ path: [...issue.path, key], issue: { ...issue, keys: [key] } });
  }
  return places;
}

/** What helps to explain: which keys the schema knows at a path of the input, and which of some names was meant. */
interface Help {
  known: KnownKeys;
  search: typeof nearest;
}

/** Each place is looked up once. */
function keysByPlace(schema: z.core.$ZodType): KnownKeys {
  const found = new Map<string, string[]>();
  return (path) => {
    const place = jsonPointer(path);
    const keys = found.get(place) ?? knownKeysAt(schema, path);
    found.set(place, keys);
    return keys;
  };
}

/** Looks for what was meant so many times, and not again. */
function suggester(times: number): typeof nearest {
  let left = times;
  return (key, names) => (left-- > 0 ? nearest(key, names) : undefined);
}

/** Of objects with more keys than these, an unknown key is not told all there are. */
const MAX_KEYS = 12;

type Explained = Omit<Problem, 'code'>;

function codeOf(issue: z.core.$ZodIssue): ErrorCode {
  if (issue.code === 'custom' && typeof issue.params?.['code'] === 'string') return issue.params['code'] as ErrorCode;
  return 'VALIDATION_ERROR';
}

/** Which keys the schema knows at a path below the place being explained. */
type KnownKeys = (path: readonly PropertyKey[]) => string[];

function explain(issue: z.core.$ZodIssue, at: readonly PropertyKey[], help: Help): Explained[] {
  const path = [...at, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, INPUT_LIMITS.issues)
        .map((key) => unknownKey(path, key, help.known(issue.path), help.search));
    case 'invalid_union':
      if (issue.input === undefined) return [{ path, message: 'required' }];
      return closestBranch(issue, path, {
        ...help,
        known: (below) => help.known([...issue.path, ...below]),
      });
    case 'invalid_value':
      if (issue.input === undefined) return [{ path, message: `required; send ${listed(issue.values)}` }];
      return [wrongValue(path, issue.input, issue.values, help.search)];
    case 'invalid_type':
      if (issue.input === undefined) return [{ path, message: `required; send ${article(issue.expected)}` }];
      if (typeof issue.input === 'number' && !Number.isFinite(issue.input)) {
        return [{ path, message: 'send a finite number; this one is too large' }];
      }
      if (issue.expected === 'int' && typeof issue.input === 'number')
        return [{ path, message: 'send a whole number' }];
      return [{ path, message: `send ${article(issue.expected)}, not ${kindOf(issue.input)}` }];
    default:
      return [{ path, message: issueWords(issue) }];
  }
}

/**
 * Of a union's branches, explains the one that the caller most likely meant: of those that came inside the object, one
 * whose tag fits, then the one that came furthest, then the one with the least to say.
 */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion, path: readonly PropertyKey[], help: Help): Explained[] {
  const branches = issue.errors.map((errors) => ({
    problems: errors.slice(0, INPUT_LIMITS.issues).flatMap((inner) => explain(inner, path, help)),
    tag: errors.find(isWrongTag),
  }));
  const depth = ({ problems }: (typeof branches)[number]) => problems[0]?.path.length ?? 0;
  const inside = branches.filter((branch) => depth(branch) > path.length);
  const fitting = inside.filter(({ tag }) => tag === undefined);
  const tags = inside.flatMap(({ tag }) => tag ?? []);
  const [tag] = tags;
  if (fitting.length === 0 && tag !== undefined) {
    const values = tags.flatMap((one) => (one.path[0] === tag.path[0] ? one.values : []));
    return [wrongValue([...path, ...tag.path], tag.input, values, help.search)];
  }
  const [closest] = fitting.sort((a, b) => depth(b) - depth(a) || a.problems.length - b.problems.length);
  if (closest !== undefined) return closest.problems;
  const wanted = branches.flatMap(({ problems }) => problems.slice(0, 1).map(({ message }) => message));
  return [{ path, message: [...new Set(wanted)].join('; or ') || 'not of an accepted form' }];
}

/** Whether a branch is for objects of another kind, told apart by a field of one value. */
function isWrongTag(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidValue {
  return (
    issue.code === 'invalid_value' && issue.values.length === 1 && issue.path.length === 1 && issue.input !== undefined
  );
}

function wrongValue(
  path: readonly PropertyKey[],
  input: unknown,
  values: readonly unknown[],
  search: Help['search'],
): Explained {
  const names = values.filter((value) => typeof value === 'string');
  const near = typeof input === 'string' ? search(input, names) : undefined;
  if (near === undefined) return { path, message: `send ${listed(values)}` };
  return { path, message: `send ${listed(values)}; did you mean ${JSON.stringify(near)}?`, suggestion: near };
}

function unknownKey(
  path: readonly PropertyKey[],
  key: string,
  known: readonly string[],
  search: Help['search'],
): Explained {
  const at = [...path, key];
  // A key that another form of the same object has is no misspelling.
  if (known.includes(key)) return { path: at, message: 'unknown key; leave it out' };
  const near = search(key, known);
  if (near !== undefined) return { path: at, message: `unknown key; did you mean ${near}?`, suggestion: near };
  const others = known.length > 0 && known.length <= MAX_KEYS ? `; there are ${known.join(', ')}` : '';
  return { path: at, message: `unknown key; leave it out${others}` };
}

function listed(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ');
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : article(typeof value);
}

/** Words of zod that are none of JSON's. */
const NOUNS: Readonly<Record<string, string>> = { int: 'a whole number', record: 'an object' };

function article(noun: string): string {
  if (NOUNS[noun] !== undefined) return NOUNS[noun];
  return /^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

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
function knownKeysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const definition = schema._zod.def as unknown as Definition;
  const [step, ...rest] = path;
  const inner = definition.innerType ?? definition.in;
  if (inner !== undefined) return knownKeysAt(inner, path);
  if (definition.options !== undefined) return definition.options.flatMap((option) => knownKeysAt(option, path));
  if (step === undefined) return Object.keys(definition.shape ?? {});
  const next = definition.shape?.[String(step)] ?? definition.element ?? definition.valueType;
  return next === undefined ? [] : knownKeysAt(next, rest);
}
