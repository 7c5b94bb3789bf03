import type { Store } from '../../../src/platform/store/collection.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import type { StoreWrite } from '../../support/store-hooks.ts';

/** The process is taken to have died: no write of its own is made any more. */
class Died extends Error {}

export interface Mortal {
  wrap(store: Store): Store;
  isDead(): boolean;
  /** The collection it was writing; undefined while it lives. */
  diedAt(): string | undefined;
}

/** A store whose process dies at its n-th write: just before it is made, or just after. */
export function mortal(n: number, when: 'before' | 'after'): Mortal {
  let left = n;
  let diedAt: string | undefined;
  const die = ({ collection }: StoreWrite): never => {
    diedAt ??= collection;
    throw new Died();
  };
  return {
    isDead: () => diedAt !== undefined,
    diedAt: () => diedAt,
    wrap: (store) =>
      withStoreHooks(store, {
        before(write) {
          if (diedAt !== undefined || (--left === 0 && when === 'before')) die(write);
        },
        after(write) {
          if (left <= 0) die(write);
        },
      }),
  };
}
