import type { Collection, CollectionSpec, Row, Store } from './collection.ts';

/** The same store with something around its collections; each is wrapped once. */
export function wrappedStore(store: Store, wrap: <R extends Row>(inner: Collection<R>) => Collection<R>): Store {
  const wrapped = new Map<string, unknown>();
  return {
    kind: store.kind,
    collection: <R extends Row>(spec: CollectionSpec<R>): Collection<R> => {
      const known = wrapped.get(spec.name) as Collection<R> | undefined;
      if (known !== undefined) return known;
      const made = wrap(store.collection(spec));
      wrapped.set(spec.name, made);
      return made;
    },
    prepare: () => store.prepare(),
    changesSince: (mark) => store.changesSince(mark),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}
