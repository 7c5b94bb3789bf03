import { AsyncLocalStorage } from 'node:async_hooks';
import type { Collection, Row, Store } from '../../src/platform/store/collection.ts';
import { wrappedStore } from '../../src/platform/store/wrapped-store.ts';

/** One call that writes. */
export interface StoreWrite {
  collection: string;
  kind: 'insert' | 'insertMany' | 'replace' | 'update' | 'delete';
  /** The row's key; of `insertMany`, the first row's. */
  key: string;
  /** Counts the writes through this store, from 1. */
  n: number;
}

export interface StoreHooks {
  /** Called, and awaited, before the store sees the write. */
  before?: (write: StoreWrite) => void | Promise<void>;
  /**
   * Called, and awaited, once the write is on disk and before its caller learns so. Not called when it throws. `hasWritten` is
   * false where a write was called for and changed nothing, such as an update that leaves its row alone.
   */
  after?: (write: StoreWrite, hasWritten: boolean) => void | Promise<void>;
}

/**
 * Hooks that each piece of work has for itself: one that is taken to have died may still have a write in hand when the next one is
 * begun. `hooks` are the store's.
 */
export function hooksOfEach(): { hooks: StoreHooks; run: <T>(own: StoreHooks, work: () => T) => T } {
  const current = new AsyncLocalStorage<StoreHooks>();
  return {
    hooks: {
      before: (write) => current.getStore()?.before?.(write),
      after: (...done) => current.getStore()?.after?.(...done),
    },
    run: (own, work) => current.run(own, work),
  };
}

/** The same store with something done around every write: for observing, and for dying at a chosen moment in tests. */
export function withStoreHooks(store: Store, hooks: StoreHooks): Store {
  let n = 0;

  function hooked<R extends Row>(inner: Collection<R>): Collection<R> {
    const around = async <T>(kind: StoreWrite['kind'], key: string, write: () => Promise<T>): Promise<T> => {
      const op: StoreWrite = { collection: inner.spec.name, kind, key, n: ++n };
      await hooks.before?.(op);
      const result = await write();
      await hooks.after?.(op, hasWritten(result));
      return result;
    };
    const keyOf = (row: R | undefined) => (row === undefined ? '' : String(row[inner.spec.key]));
    return {
      spec: inner.spec,
      get: (key) => inner.get(key),
      isCurrent: (row) => inner.isCurrent(row),
      getMany: (keys, options) => inner.getMany(keys, options),
      find: (query) => inner.find(query),
      getField: (keys, field) => inner.getField(keys, field),
      count: (where, options) => inner.count(where, options),
      insert: (row) => around('insert', keyOf(row), () => inner.insert(row)),
      insertMany: (rows, options) => around('insertMany', keyOf(rows[0]), () => inner.insertMany(rows, options)),
      replace: (row, before) => around('replace', keyOf(row), () => inner.replace(row, before)),
      update: (key, change) => around('update', key, () => inner.update(key, change)),
      delete: (key, count) => around('delete', key, () => inner.delete(key, count)),
    };
  }

  return wrappedStore(store, hooked);
}

/** By what the calls of a collection that write answer. */
function hasWritten(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return Boolean(result);
  if ('inserted' in result) return result.inserted === true;
  return !('changed' in result) || result.changed === true;
}
