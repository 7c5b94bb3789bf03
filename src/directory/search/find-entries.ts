import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import type { Store, Where } from '../../platform/store/collection.ts';
import { prefixRange } from '../../platform/store/prefix-range.ts';
import { searchEntries, searchHints, SearchList } from './search-entry.ts';
import type { SearchEntry, SearchHint } from './search-entry.ts';

/** What is asked for: of each group one term at least, and a term that begins so. At least one of them. */
export interface WantedTerms {
  groups: readonly (readonly string[])[];
  begins?: string | undefined;
}

/** Hints looked at for one page; what is left is the next page's. */
const MOST_LOOKED_AT = 1_000;
/** In one go. */
const AT_ONCE = 100;
/** To see which of the terms is the rarest, hints are counted to here. */
const COUNTED_TO = 1_000;

/**
 * A page of what fits, by list, term and subject. It may be shorter than `limit`, even empty, while there is a cursor: a page looks
 * at no more than 1,000 hints, of the rarest term, however many rows there are. `show` has the last word on each, and answers those
 * that may be told.
 * @throws {AppError} `INVALID_REQUEST`, field `cursor`, for one that these terms did not give.
 */
export async function findEntries<T>(
  store: Store,
  lists: readonly SearchList[],
  asked: WantedTerms,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  show: (list: SearchList, subjects: readonly string[]) => Promise<T[]>,
): Promise<{ found: T[]; cursor: string | null }> {
  const found: T[] = [];
  let looked = 0;
  for (const step of await stepsFrom(store, lists, asked, cursor)) {
    let { after } = step;
    do {
      if (found.length >= limit || looked >= MOST_LOOKED_AT) return { found, cursor: textOf({ ...step, after }) };
      const page = await store.collection(searchHints).find({
        where: whereOf(step, asked),
        limit: Math.min(AT_ONCE, limit - found.length),
        ...(after !== undefined && { after }),
      });
      found.push(...(await show(step.list, await fittingOf(store, page.rows, asked, step.by))));
      looked += page.rows.length;
      after = page.cursor;
    } while (after !== undefined);
  }
  return { found, cursor: null };
}

/** Which group is walked through, and which of its terms; null: those that begin so. */
type By = readonly [group: number, term: number] | null;

interface Step {
  list: SearchList;
  by: By;
  after?: string | undefined;
}

/** What is walked through, from where a cursor says: list by list, and term by term of its rarest group. */
async function stepsFrom(
  store: Store,
  lists: readonly SearchList[],
  asked: WantedTerms,
  cursor: string | undefined,
): Promise<Step[]> {
  const place = cursor === undefined ? undefined : placeOf(cursor, lists, asked);
  const first = place === undefined ? 0 : lists.indexOf(place.list);
  const steps: Step[] = [];
  for (const [i, list] of lists.slice(first).entries()) {
    if (i === 0 && place !== undefined) steps.push(place, ...restOf(place, asked));
    else {
      const step: Step = { list, by: await rarest(store, list, asked) };
      steps.push(step, ...restOf(step, asked));
    }
  }
  return steps;
}

function restOf({ list, by }: Step, { groups }: WantedTerms): Step[] {
  if (by === null) return [];
  const [group, term] = by;
  return (groups[group] ?? []).slice(term + 1).map((_, i) => ({ list, by: [group, term + 1 + i] }));
}

async function rarest(store: Store, list: SearchList, asked: WantedTerms): Promise<By> {
  const hints = store.collection(searchHints);
  const count = (by: By) => hints.count(whereOf({ list, by }, asked), { most: COUNTED_TO });
  const counts: [number, By][] = asked.begins === undefined ? [] : [[await count(null), null]];
  for (const [group, terms] of asked.groups.entries()) {
    let sum = 0;
    for (const [term] of terms.entries()) sum += await count([group, term]);
    counts.push([sum, [group, 0]]);
  }
  return counts.reduce((best, one) => (one[0] < best[0] ? one : best))[1];
}

function whereOf({ list, by }: Step, { groups, begins = '' }: WantedTerms): Where<SearchHint> {
  return { list, term: by === null ? prefixRange(begins) : (groups[by[0]]?.[by[1]] ?? '') };
}

/** Subjects whose entry says that all fits. One that is met at several terms counts at the first. */
async function fittingOf(store: Store, hints: readonly SearchHint[], asked: WantedTerms, by: By): Promise<string[]> {
  const subjects = [...new Set(hints.map(({ subject }) => subject))];
  const rows = await store.collection(searchEntries).getMany(subjects, { skipUnreadable: true });
  const entries = new Map(rows.map((entry) => [entry.subject, entry]));
  const fitting = hints.filter(({ list, term, subject }) => {
    const entry = entries.get(subject);
    if (entry?.list !== list) return false;
    const terms = new Set(entry.terms);
    const [found, first] = [asked.groups.map((group) => group.find((one) => terms.has(one))), firstOf(entry, asked)];
    if (found.includes(undefined) || (asked.begins !== undefined && first === undefined)) return false;
    return term === (by === null ? first : found[by[0]]);
  });
  return fitting.map(({ subject }) => subject);
}

/** Of the terms that begin so, the one that is met first: by bytes, as both stores sort. */
function firstOf({ terms }: SearchEntry, { begins }: WantedTerms): string | undefined {
  if (begins === undefined) return undefined;
  const those = terms.filter((term) => term.startsWith(begins));
  return those.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))[0];
}

function textOf({ list, by, after }: Step): string {
  return Buffer.from(JSON.stringify([list, by, after ?? null])).toString('base64url');
}

const Place = z.tuple([
  SearchList,
  z.tuple([z.int().min(0), z.int().min(0)]).nullable(),
  z.string().max(1000).nullable(),
]);

function placeOf(cursor: string, lists: readonly SearchList[], { groups, begins }: WantedTerms): Step {
  const [list, by, after] = Place.safeParse(partsOf(cursor)).data ?? [];
  const isAsked = by === null ? begins !== undefined : by !== undefined && groups[by[0]]?.[by[1]] !== undefined;
  if (list === undefined || by === undefined || !lists.includes(list) || !isAsked)
    throw new AppError('INVALID_REQUEST', 'cursor: send a cursor that this list gave for the same filters', {
      field: 'cursor',
    });
  return { list, by, after: after ?? undefined };
}

function partsOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
