import type { Store } from '../src/platform/store/collection.ts';

const WRITES = new Set(['insert', 'replace', 'update', 'delete']);

/** The same store, and how many rows it has been asked to write so far. */
export function countWrites(store: Store): { store: Store; writes: () => number } {
  let count = 0;
  const counted = <C extends object>(collection: C): C =>
    new Proxy(collection, {
      get(target, name): unknown {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          if (name === 'insertMany') count += (args[0] as unknown[]).length;
          else if (WRITES.has(String(name))) count++;
          return Reflect.apply(member, target, args);
        };
      },
    });
  return {
    writes: () => count,
    store: { ...store, collection: (spec) => counted(store.collection(spec)) },
  };
}
