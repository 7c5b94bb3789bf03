import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fate } from './step.ts';

/** What a fate may have to do, where it strikes. */
interface Struck {
  fate: Fate;
  seen: number;
  isDead: boolean;
  died: () => void;
  /** Carries out the step that comes in between. */
  meanwhile: () => Promise<void>;
}

/** Lets one process of several in one program be killed, or held up, at a write or a put. */
export interface Fates {
  /** To be called around every write and every put of whatever runs. */
  point(at: Fate['at'], when: Fate['when']): Promise<void>;
  /** Does the work with a fate; answers whether it was killed. What is killed does nothing any more, and never ends. */
  under(fate: Fate, meanwhile: () => Promise<void>, work: () => Promise<unknown>): Promise<'done' | 'died'>;
}

export function createFates(): Fates {
  const current = new AsyncLocalStorage<Struck | undefined>();
  return {
    async point(at, when) {
      const struck = current.getStore();
      if (struck === undefined) return;
      if (struck.isDead) await never();
      const { fate } = struck;
      if (at !== fate.at || when !== fate.when || ++struck.seen !== fate.n) return;
      if (fate.then !== 'dies') {
        await current.run(undefined, struck.meanwhile);
        return;
      }
      struck.isDead = true;
      struck.died();
      await never();
    },
    async under(fate, meanwhile, work) {
      return new Promise((resolve, reject) => {
        const died = () => {
          resolve('died');
        };
        const struck: Struck = { fate, seen: 0, isDead: false, died, meanwhile };
        current.run(struck, () => {
          work().then(() => {
            resolve('done');
          }, reject);
        });
      });
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
