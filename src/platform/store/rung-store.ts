import type { Collection, Row, Store } from './collection.ts';
import { wrappedStore } from './wrapped-store.ts';

/**
 * The same store, that tells of each row of some collections that has been written: once the write is on disk.
 * @param topics by the name of a collection, what its rows are told under; those of others are not.
 * @param ring called with the row's key; with an empty one when many were written at once. Must not throw.
 */
export function rungStore(
  store: Store,
  topics: ReadonlyMap<string, string>,
  ring: (topic: string, key: string) => void,
): Store {
  return wrappedStore(store, (inner) => {
    const topic = topics.get(inner.spec.name);
    if (topic === undefined) return inner;
    return rungCollection(inner, (key) => {
      ring(topic, key);
    });
  });
}

function rungCollection<R extends Row>(inner: Collection<R>, ring: (key: string) => void): Collection<R> {
  const keyOf = (row: R) => String(row[inner.spec.key]);
  return {
    spec: inner.spec,
    get: (key) => inner.get(key),
    isCurrent: (row) => inner.isCurrent(row),
    getMany: (keys, options) => inner.getMany(keys, options),
    getField: (keys, field) => inner.getField(keys, field),
    find: (query) => inner.find(query),
    count: (where, options) => inner.count(where, options),
    async insert(row) {
      const result = await inner.insert(row);
      if (result.inserted) ring(keyOf(row));
      return result;
    },
    async insertMany(rows, options) {
      const inserted = await inner.insertMany(rows, options);
      const [first] = rows;
      if (inserted > 0 && first !== undefined) ring(rows.length === 1 ? keyOf(first) : '');
      return inserted;
    },
    async replace(row, before) {
      const stored = await inner.replace(row, before);
      if (stored !== undefined) ring(keyOf(row));
      return stored;
    },
    async update(key, change) {
      const result = await inner.update(key, change);
      if (result?.changed === true) ring(key);
      return result;
    },
    async delete(key, count) {
      const isGone = await inner.delete(key, count);
      if (isGone) ring(key);
      return isGone;
    },
  };
}
