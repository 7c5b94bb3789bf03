import { StoreUnavailableError } from '../../src/platform/store/collection.ts';
import type { Collection, Row, Store } from '../../src/platform/store/collection.ts';
import { wrappedStore } from '../../src/platform/store/wrapped-store.ts';

/** The same store, of which nothing is read or written as long as `isAway` says so. */
export function withStoreAway(store: Store, isAway: () => boolean): Store {
  return wrappedStore(
    store,
    <R extends Row>(inner: Collection<R>): Collection<R> =>
      new Proxy(inner, {
        get(target, name, receiver) {
          const own: unknown = Reflect.get(target, name, receiver);
          if (typeof own !== 'function') return own;
          return (...given: unknown[]): unknown =>
            isAway()
              ? Promise.reject(new StoreUnavailableError(String(name), new Error('away')))
              : Reflect.apply(own, target, given);
        },
      }),
  );
}
