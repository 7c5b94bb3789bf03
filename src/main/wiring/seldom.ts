import type { Clock } from '../../platform/clock.ts';

/** What is counted over the whole installation is counted this often at most by a process that is looked at, in milliseconds. */
export const COUNT_EVERY_MS = 60_000;

/**
 * What costs much to find out is told again for a while, to all who ask; what failed is found out anew.
 * @param everyMs How long, in milliseconds.
 */
export function seldom<T>(clock: Clock, everyMs: number, findOut: () => Promise<T>): () => Promise<T> {
  let last: { atMs: number; found: Promise<T> } | undefined;
  return () => {
    if (last !== undefined && Math.abs(clock.now() - last.atMs) < everyMs) return last.found;
    const asked = { atMs: clock.now(), found: findOut() };
    last = asked;
    asked.found.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.found;
  };
}
