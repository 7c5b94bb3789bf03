import type { Store } from '../../platform/store/collection.ts';
import { hintId, searchEntries, searchHints } from './search-entry.ts';
import type { SearchEntry, SearchList } from './search-entry.ts';

/** What something is found by, and in which list. */
export interface Findable {
  list: SearchList | null;
  terms: readonly string[];
}

/**
 * Makes what something is found by what `read` says: asked after the entry was read, so that of two at once the later look counts.
 * Safe to repeat, and to kill at any line: hints go in before the entry is done with those of before. Answers false when another was
 * at it and it has to be done again; undefined from `read` leaves all as it is.
 */
export async function keepEntry(
  store: Store,
  subject: string,
  read: () => Promise<Findable | undefined>,
): Promise<boolean> {
  const entries = store.collection(searchEntries);
  const blank = { subject, list: null, terms: [], dropping: [], revision: 1 };
  const known = await entries.get(subject);
  const wanted = await read();
  if (wanted === undefined) return true;
  const before: SearchEntry = known ?? blank;
  const ids = idsOf(subject, wanted);
  const kept = new Set(ids);
  const dropping = [...new Set([...idsOf(subject, before), ...before.dropping])].filter((id) => !kept.has(id));
  const next: SearchEntry = { ...before, list: wanted.list, terms: [...wanted.terms], dropping };
  const stored = known === undefined ? await inserted(store, next) : await entries.replace(next);
  if (stored === undefined) return false;
  const { list } = wanted;
  if (list !== null)
    await store
      .collection(searchHints)
      .insertMany(
        wanted.terms.map((term) => ({ hint_id: hintId(list, term, subject), list, term, subject, revision: 1 })),
      );
  if (dropping.length === 0) return true;
  // Who was overtaken must not take away what the other has put in.
  if (!(await entries.isCurrent(stored))) return false;
  for (const id of dropping) await store.collection(searchHints).delete(id);
  return (await entries.replace({ ...stored, dropping: [] })) !== undefined;
}

/** What is gone is found no more. Safe to repeat. */
export async function dropEntry(store: Store, subject: string): Promise<void> {
  const entry = await store.collection(searchEntries).get(subject);
  if (entry === undefined) return;
  for (const id of [...idsOf(subject, entry), ...entry.dropping]) await store.collection(searchHints).delete(id);
  await store.collection(searchEntries).delete(subject);
}

function idsOf(subject: string, { list, terms }: Findable): string[] {
  return list === null ? [] : terms.map((term) => hintId(list, term, subject));
}

async function inserted(store: Store, entry: SearchEntry): Promise<SearchEntry | undefined> {
  return (await store.collection(searchEntries).insert(entry)).inserted ? entry : undefined;
}
