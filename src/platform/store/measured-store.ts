import type { Counters } from '../metrics/metrics.ts';
import type { Collection, Row, Store } from './collection.ts';
import { wrappedStore } from './wrapped-store.ts';

/** The same store, that measures how long each of its calls takes: `store_operation_seconds`. */
export function measuredStore(store: Store, counters: Counters): Store {
  return wrappedStore(store, (inner) => measuredCollection(inner, counters));
}

function measuredCollection<R extends Row>(inner: Collection<R>, counters: Counters): Collection<R> {
  const collection = inner.spec.name;
  const timed = async <T>(op: string, call: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await call();
    } finally {
      counters.observe('store_operation_seconds', { collection, op }, (performance.now() - startedAt) / 1000);
    }
  };
  return {
    spec: inner.spec,
    get: (key) => timed('get', () => inner.get(key)),
    isCurrent: (row) => timed('is_current', () => inner.isCurrent(row)),
    getMany: (keys, options) => timed('get_many', () => inner.getMany(keys, options)),
    getField: (keys, field) => timed('get_field', () => inner.getField(keys, field)),
    find: (query) => timed('find', () => inner.find(query)),
    count: (where, options) => timed('count', () => inner.count(where, options)),
    insert: (row) => timed('insert', () => inner.insert(row)),
    insertMany: (rows, options) => timed('insert_many', () => inner.insertMany(rows, options)),
    replace: (row, before) => timed('replace', () => inner.replace(row, before)),
    update: (key, change) => timed('update', () => inner.update(key, change)),
    delete: (key, count) => timed('delete', () => inner.delete(key, count)),
  };
}
