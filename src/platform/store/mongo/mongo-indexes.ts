import type { Collection } from 'mongoose';
import type { Logger } from '../../log.ts';
import type { Document, NativeIndex } from './mongo-model.ts';

type IndexedCollection = Pick<
  Collection<Document>,
  'collectionName' | 'createIndex' | 'createIndexes' | 'dropIndex' | 'listIndexes'
>;

/**
 * Brings a collection's indexes to what is declared: creates what is missing, under whatever name it stands; makes anew
 * what was declared otherwise. Others stay, since an operator may have made them, and are named in the log. The successor of
 * an index is made before that is dropped, so that no duplicate slips in between, and nothing is lost when it cannot be
 * made. Any number of processes may do this at once.
 */
export async function prepareMongoIndexes(
  collection: IndexedCollection,
  declared: readonly NativeIndex[],
  logger: Logger,
): Promise<void> {
  const present = await presentIndexes(collection);
  const wanted = new Set(declared.map(signature));
  const forerunners = new Set<string>();
  for (const index of await createNewcomers(collection, declared, present)) present.set(index.name, signature(index));
  for (const index of declared) {
    const old = [...present].filter(([name, found]) => isNameOf(index, name) && !wanted.has(found));
    for (const [name] of old) forerunners.add(name);
    if (![...present.values()].includes(signature(index))) {
      const name = await createIndex(collection, index, present);
      present.set(name, signature(index));
    }
    for (const [name] of old) await dropIndex(collection, name);
  }
  for (const [name, found] of present)
    if (name !== '_id_' && !wanted.has(found) && !forerunners.has(name))
      logger.warn({ collection: collection.collectionName, index: name }, 'an index that is not declared');
}

/** In one command those that have no forerunner: all of a collection that is new. Answers which; one alone is made as all others are. */
async function createNewcomers(
  collection: IndexedCollection,
  declared: readonly NativeIndex[],
  present: ReadonlyMap<string, string>,
): Promise<readonly NativeIndex[]> {
  const names = [...present.keys()];
  const found = new Set(present.values());
  const newcomers = declared.filter(
    (index) => !found.has(signature(index)) && !names.some((name) => isNameOf(index, name)),
  );
  if (newcomers.length < 2) return [];
  try {
    await collection.createIndexes(newcomers, {});
    return newcomers;
  } catch (error) {
    if (!CONFLICTS.has((error as { code?: unknown }).code)) throw error;
    return [];
  }
}

/** Whether an index of this name was made for the declared one: by its name, or beside a forerunner of that name. */
function isNameOf({ name }: NativeIndex, found: string): boolean {
  return found === name || (found.startsWith(`${name}__`) && /^\d+$/.test(found.slice(name.length + 2)));
}

/** Answers the name that was free. A server that cannot bear both at once has the forerunner dropped first. */
async function createIndex(
  collection: IndexedCollection,
  index: NativeIndex,
  present: ReadonlyMap<string, string>,
): Promise<string> {
  const { name, key, ...options } = index;
  let free = name;
  for (let n = 2; present.has(free); n++) free = `${name}__${n}`;
  try {
    await collection.createIndex(key, { name: free, ...options }, undefined);
    return free;
  } catch (error) {
    if (free === name || !CONFLICTS.has((error as { code?: unknown }).code)) throw error;
  }
  await dropIndex(collection, name);
  await collection.createIndex(key, { name, ...options }, undefined);
  return name;
}

async function dropIndex(collection: IndexedCollection, name: string): Promise<void> {
  await collection.dropIndex(name).catch(unlessCode(INDEX_NOT_FOUND));
}

const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
/** `IndexOptionsConflict`, `IndexKeySpecsConflict`: an index of the same fields, or name, is in the way. */
const CONFLICTS = new Set<unknown>([85, 86]);

async function presentIndexes(collection: IndexedCollection): Promise<Map<string, string>> {
  const listing = collection.listIndexes().toArray() as Promise<NativeIndex[]>;
  const listed = (await listing.catch(unlessCode(NAMESPACE_NOT_FOUND))) ?? [];
  return new Map(listed.map((index) => [index.name, signature(index)]));
}

/** What of an index is declared, as text that is the same for the same index. */
function signature({ key, unique, partialFilterExpression, expireAfterSeconds }: NativeIndex): string {
  const filter = Object.entries(partialFilterExpression ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([Object.entries(key), unique ?? false, filter, expireAfterSeconds ?? null]);
}

function unlessCode(code: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as { code?: unknown }).code !== code) throw error;
  };
}
