/** Wakes one who waits. */
export interface Bell {
  ring: () => void;
  /**
   * From now on: waits until it is rung, for so many milliseconds at most. Answers whether it was rung; one that was rung since
   * `next` was called is not waited for. One waits at a time.
   */
  next: () => (mostMs: number) => Promise<boolean>;
}

/** Rings that come while nobody waits are not lost: who looks first, then waits, calls {@link Bell.next} before looking. */
export function createBell(): Bell {
  let rings = 0;
  let heard: (() => void) | undefined;
  return {
    ring() {
      rings++;
      heard?.();
    },
    next() {
      const before = rings;
      return (mostMs) =>
        new Promise((resolve) => {
          if (rings !== before) {
            resolve(true);
            return;
          }
          const timer = setTimeout(resolve, mostMs, false);
          heard = () => {
            clearTimeout(timer);
            resolve(true);
          };
        });
    },
  };
}
