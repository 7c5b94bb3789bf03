import { LONG_MS } from './until.ts';

/**
 * What `attempt` comes to, tried with ever more milliseconds until that `isMeant`: where a machine stood still, time runs
 * out before anything has begun, which says nothing of what was to run out of it. The last outcome, where none is.
 */
export async function withMoreTime<T>(
  attempt: (ms: number) => Promise<T>,
  isMeant: (outcome: T) => boolean,
): Promise<T> {
  for (let ms = 500; ; ms *= 4) {
    const outcome = await attempt(ms);
    if (isMeant(outcome) || ms > LONG_MS) return outcome;
  }
}
