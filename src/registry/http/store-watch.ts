import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { Store } from '../../platform/store/collection.ts';
import { within } from '../../platform/within.ts';

/** How long a caller waits before the store is asked whether it answers at all, and how long it may take to; in milliseconds. */
export interface StorePatience {
  waitMs: number;
  pingMs: number;
}

/** Together under the 3 s that a picture in somebody's page may keep that page waiting (rule R11.away). */
export const PATIENCE: StorePatience = { waitMs: 1_500, pingMs: 1_000 };

/**
 * Keeps callers from waiting for a store that does not answer: queued work has the store's own patience of 30 s, a page with a
 * picture in it has not. Work that only takes long goes on as long as the store answers.
 */
export interface StoreWatch {
  /**
   * Settles as `work` does. While the store is known to be away, `work` is not even begun; what was begun goes on by itself. Once it
   * writes, it is waited for: it may have happened though nobody was told.
   * @param isAnswering from then on nobody is told anything else. @throws {AppError} `SERVICE_UNAVAILABLE`.
   */
  guard(work: (beginWriting: BeginWriting) => Promise<void>, isAnswering: () => boolean): Promise<void>;
}

/**
 * Asked before the first write; settles once the store has answered a ping.
 * @throws {AppError} `SERVICE_UNAVAILABLE`: it does not, or the caller has been told so; nothing may be written then.
 */
export type BeginWriting = () => Promise<void>;

export function createStoreWatch(
  store: Pick<Store, 'ping'>,
  log: Logger,
  { waitMs, pingMs }: StorePatience = PATIENCE,
): StoreWatch {
  let isAway = false;
  let asking: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    let hasAnswered = false;
    const ping = store.ping().then(() => {
      hasAnswered = true;
    });
    await within(pingMs, ping, () => undefined).catch(() => undefined);
    // Of a loop that was held up the timer comes first, and the answer right after it.
    await nextTurn();
    if (isAway === hasAnswered) log.warn({ away: !hasAnswered }, 'the store of the registry is away, or back again');
    isAway = !hasAnswered;
    return hasAnswered;
  }

  /** One question at a time, whoever waits for it. */
  const answers = () =>
    (asking ??= ask().finally(() => {
      asking = undefined;
    }));

  return {
    async guard(work, isAnswering) {
      if (isAway && !(await answers())) throw storeAway();
      let isWriting = false;
      let isTold = false;
      const begun = work(async () => {
        // Twice, since a store that is slow is not away.
        const isThere = (await answers()) || (await answers());
        if (!isThere || isTold) throw storeAway();
        isWriting = true;
      });
      const over = begun.then(
        () => true,
        () => true,
      );
      const isBeyond = () => isWriting || isAnswering();
      for (;;) {
        if (await within(waitMs, over, () => false)) return begun;
        if (isBeyond()) return begun;
        if ((await answers()) || (await within(0, over, () => false)) || isBeyond()) continue;
        isTold = true;
        throw storeAway();
      }
    },
  };
}

function storeAway(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'the agent cannot reach its store; try again', { retry_after: 5 });
}
