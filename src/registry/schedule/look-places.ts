/** Places for looks, of which some are taken. */
export interface LookPlaces {
  free(): number;
  take(): void;
  leave(): void;
  /** Waits for one where none is free, and is served before whoever comes later. @throws the signal's reason when that aborts. */
  takeNext(signal: AbortSignal): Promise<void>;
}

export function createLookPlaces(most: number): LookPlaces {
  let used = 0;
  const waiting = new Set<() => void>();

  async function takeNext(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (used < most) {
      used++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        waiting.delete(go);
        reject(signal.reason as Error);
      };
      const go = () => {
        waiting.delete(go);
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(go);
    });
  }

  return {
    free: () => most - used,
    take: () => {
      used++;
    },
    leave: () => {
      const [next] = waiting;
      if (next === undefined) used--;
      else next();
    },
    takeNext,
  };
}
