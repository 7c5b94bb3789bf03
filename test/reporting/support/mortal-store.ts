import type { Store } from '../../../src/platform/collection.ts';
import { withStoreHooks } from '../../../src/platform/store-hooks.ts';

/** The process is taken to have died: no write of its own is made any more. */
class Died extends Error {}

export interface Mortal {
  wrap(store: Store): Store;
  isDead(): boolean;
}

/** A store whose process dies at its n-th write: just before it is made, or just after. */
export function mortal(n: number, when: 'before' | 'after'): Mortal {
  let left = n;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Died();
  };
  return {
    isDead: () => isDead,
    wrap: (store) =>
      withStoreHooks(store, {
        before() {
          if (isDead || (--left === 0 && when === 'before')) die();
        },
        after() {
          if (left <= 0) die();
        },
      }),
  };
}
