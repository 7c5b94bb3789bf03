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
  // With those that are wanted again, until they are put in anew: another may be about to take them away.
  const dropping = [...new Set([...idsOf(subject, before).filter((id) => !kept.has(id)), ...before.dropping])];
  const next: SearchEntry = { ...before, list: wanted.list, terms: [...wanted.terms], dropping };
  const stored = known === undefined ? await inserted(store, next) : await entries.replace(next);
  if (stored === undefined) return false;
  await putHints(store, subject, wanted, new Set(dropping));
  if (dropping.length === 0) return true;
  const hints = store.collection(searchHints);
  const gone = await hints.getMany(dropping.filter((id) => !kept.has(id)));
  // Who was overtaken must not take away what the other has put in: neither before this look, nor after it, by another revision.
  if (!(await entries.isCurrent(stored))) return false;
  for (const { hint_id, revision } of gone) await hints.delete(hint_id, revision);
  return (await entries.replace({ ...stored, dropping: [] })) !== undefined;
}

/** Those that another may be about to take away get a new revision, by which they stay. */
async function putHints(
  store: Store,
  subject: string,
  { list, terms }: Findable,
  dropping: ReadonlySet<string>,
): Promise<void> {
  if (list === null) return;
  const hints = store.collection(searchHints);
  const wanted = terms.map((term) => ({ hint_id: hintId(list, term, subject), list, term, subject, revision: 1 }));
  await hints.insertMany(wanted);
  for (const hint of wanted.filter(({ hint_id }) => dropping.has(hint_id)))
    while ((await hints.update(hint.hint_id, (row) => ({ ...row }))) === undefined) await hints.insert(hint);
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
