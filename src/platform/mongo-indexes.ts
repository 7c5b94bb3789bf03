import type { Collection } from 'mongoose';
import type { Logger } from './log.ts';
import type { Document, NativeIndex } from './mongo-model.ts';

type IndexedCollection = Pick<Collection<Document>, 'collectionName' | 'createIndex' | 'dropIndex' | 'listIndexes'>;

/**
 * Brings a collection's indexes to what is declared: creates what is missing, makes anew what was declared otherwise.
 * Others stay, since an operator may have made them, and are named in the log. Any number of processes may do this at
 * once.
 */
export async function prepareIndexes(
  collection: IndexedCollection,
  declared: readonly NativeIndex[],
  logger: Logger,
): Promise<void> {
  const present = await presentIndexes(collection);
  for (const { name, key, ...options } of declared) {
    const found = present.get(name);
    if (found !== undefined && found === signature({ name, key, ...options })) continue;
    if (found !== undefined) await collection.dropIndex(name).catch(unlessCode(INDEX_NOT_FOUND));
    await collection.createIndex(key, { name, ...options }, undefined);
  }
  const others = [...present.keys()].filter(
    (name) => name !== '_id_' && !declared.some((index) => index.name === name),
  );
  if (others.length > 0) logger.warn({ collection: collection.collectionName, indexes: others }, 'undeclared indexes');
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
