import type { Collection } from 'mongoose';
import type { Logger } from '../../log.ts';
import type { Document, NativeIndex } from './mongo-model.ts';

type IndexedCollection = Pick<Collection<Document>, 'collectionName' | 'createIndex' | 'dropIndex' | 'listIndexes'>;

/**
 * Brings a collection's indexes to what is declared: creates what is missing, makes anew what was declared otherwise or
 * under another name. Others stay, since an operator may have made them, and are named in the log. Any number of processes may do this at
 * once.
 */
export async function prepareMongoIndexes(
  collection: IndexedCollection,
  declared: readonly NativeIndex[],
  logger: Logger,
): Promise<void> {
  const present = await presentIndexes(collection);
  const wanted = new Map(declared.map((index) => [index.name, signature(index)]));
  const superseded = new Set(wanted.values());
  for (const [name, found] of present) {
    if (name === '_id_' || wanted.get(name) === found) continue;
    if (!wanted.has(name) && !superseded.has(found)) {
      logger.warn({ collection: collection.collectionName, index: name }, 'an index that is not declared');
      continue;
    }
    await collection.dropIndex(name).catch(unlessCode(INDEX_NOT_FOUND));
    present.delete(name);
  }
  for (const { name, key, ...options } of declared)
    if (!present.has(name)) await collection.createIndex(key, { name, ...options }, undefined);
}

const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

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
