import { shownAmount } from '../../../platform/money.ts';
import { canonicalJson } from '../../../platform/crypto/canonical-json.ts';
import { isCurrency } from '../../../platform/currency.ts';
import type { Change } from '../../operator/actions/change.ts';
import type { Json } from '../../operator/operation.ts';

/** What is said in one line: where, in words, and what stood and stands there. */
export interface DifferenceLine {
  path: string;
  /** `changed`: from one value to another; else a member of a list that came or went. */
  kind: 'changed' | 'added' | 'removed';
  before?: string;
  after?: string;
}

/** The first lines, and how many more there are. */
export interface Lines<L> {
  lines: L[];
  more: number;
}

/** So many lines are a glance. */
const MOST_LINES = 8;
/** A value in so many characters that a line holds two. */
const MAX_VALUE = 60;
/** Amounts, where a currency stands beside them or above; what is named by a currency is one, too. */
const AMOUNT = /(?:^|_)(?:amount|budget|spend|spent|total|price|change|committed|credit|floor|bid)$/;

/** What differs, leaf by leaf: what both have alike is left out. Pure. */
export function differenceLines({ before, after }: Change): Lines<DifferenceLine> {
  return cut([...between({ path: [], name: '', currency: undefined }, before, after)]);
}

/** What was given, leaf by leaf; of what is empty, and of `confirm`, which repeats a choice, nothing. Pure. */
export function givenLines({ confirm: _confirm, ...input }: Json): Lines<{ path: string; value: string }> {
  return cut(
    [...leavesOf({ path: [], name: '', currency: undefined }, input)].filter(({ value }) => value !== wordsOf(null)),
  );
}

/** Where a value stands. */
interface Place {
  path: readonly string[];
  /** Of the member that it is. */
  name: string;
  /** Of the amounts there. */
  currency: string | undefined;
}

function* between(at: Place, before: unknown, after: unknown): Generator<DifferenceLine> {
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return;
  if (isList(before) && isList(after)) yield* betweenLists(at, before, after);
  else if (isObjectOrNone(before) && isObjectOrNone(after)) {
    const [was, is] = [before ?? {}, after ?? {}];
    // Amounts may be in another currency than they were.
    const [there, here] = [inside(at, was), inside(at, is)];
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const [old, now] = [was[name], is[name]];
      const [from, to] = [member(there, name), member(here, name)];
      if (isLeaf(old) && isLeaf(now) && (old ?? null) !== (now ?? null))
        yield { path: pathOf(to), kind: 'changed', before: wordsOf(old, from), after: wordsOf(now, to) };
      else yield* between(to, old, now);
    }
  } else yield { path: pathOf(at), kind: 'changed', before: wordsOf(before, at), after: wordsOf(after, at) };
}

/** Members with an id are held against those of the same id; of the others, which came and which went. */
function* betweenLists(at: Place, before: readonly unknown[], after: readonly unknown[]): Generator<DifferenceLine> {
  const id = idOf(before, after);
  const [was, is] = [before, after].map((list) => new Map(list.map((one) => [keyOf(one, id), one])));
  const path = pathOf(at);
  let isSame = true;
  for (const [key, one] of is ?? []) {
    if (was?.has(key) === true) {
      if (id !== undefined) yield* between({ ...at, path: [...at.path, key] }, was.get(key), one);
      continue;
    }
    isSame = false;
    yield { path, kind: 'added', after: id === undefined ? wordsOf(one, at) : key };
  }
  for (const [key, one] of was ?? []) {
    if (is?.has(key) === true) continue;
    isSame = false;
    yield { path, kind: 'removed', before: id === undefined ? wordsOf(one, at) : key };
  }
  // The same members in another order, or one of them more often.
  if (isSame && id === undefined)
    yield { path, kind: 'changed', before: wordsOf(before, at), after: wordsOf(after, at) };
}

function* leavesOf(at: Place, value: unknown): Generator<{ path: string; value: string }> {
  if (isList(value) && !value.every(isLeaf)) {
    const id = idOf(value);
    for (const [i, one] of value.entries()) {
      const key = id === undefined ? String(i + 1) : keyOf(one, id);
      yield* leavesOf({ ...at, path: [...at.path, key] }, one);
    }
  } else if (isObject(value)) {
    const here = inside(at, value);
    for (const [name, one] of Object.entries(value)) yield* leavesOf(member(here, name), one);
  } else yield { path: pathOf(at), value: wordsOf(value, at) };
}

/** The member ending in `_id` that tells those of each list apart, if there is one. */
function idOf(...lists: readonly (readonly unknown[])[]): string | undefined {
  const [first] = lists.flat();
  if (!isObject(first)) return undefined;
  const tellsApart = (name: string) =>
    lists.every(
      (list) =>
        list.every((one) => isObject(one) && typeof one[name] === 'string') &&
        new Set(list.map((one) => keyOf(one, name))).size === list.length,
    );
  return Object.keys(first).find((name) => name.endsWith('_id') && tellsApart(name));
}

function keyOf(one: unknown, id: string | undefined): string {
  return id !== undefined && isObject(one) ? String(one[id]) : canonicalJson(one ?? null);
}

function inside(at: Place, { currency }: Json): Place {
  const isKnown = typeof currency === 'string' && isCurrency(currency);
  return isKnown ? { ...at, currency } : at;
}

function member({ path, currency }: Place, name: string): Place {
  return { path: [...path, name.replaceAll('_', ' ')], name, currency };
}

function pathOf({ path }: Place): string {
  return path.join(' ');
}

function wordsOf(value: unknown, { name = '', currency }: Partial<Place> = {}): string {
  if (value === null || value === undefined || value === '') return 'none';
  const inCurrency = isCurrency(name) ? name : AMOUNT.test(name) ? currency : undefined;
  if (typeof value === 'number' && inCurrency !== undefined) return shownAmount(value, inCurrency);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = isList(value) && value.every(isLeaf) ? value.map((one) => wordsOf(one)).join(', ') : plain(value);
  if (text === '') return 'none';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjectOrNone(value: unknown): value is Json | null | undefined {
  return value === null || value === undefined || isObject(value);
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function cut<L>(all: readonly L[]): Lines<L> {
  // One more takes no more room than the words that it is left out.
  const shown = all.length > MOST_LINES + 1 ? MOST_LINES : all.length;
  return { lines: all.slice(0, shown), more: all.length - shown };
}
