/** Faults in a row after which a task that has not committed ends as `INTERNAL_ERROR`, and one that has raises an alarm. */
export const MAX_FAULTS = 5;

/** Longest that an ad server may ask to be left alone, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const STEPS_MS = [1_000, 4_000, 16_000, 64_000, 300_000] as const;
const LAST_STEP_MS = 900_000;

/**
 * How long after the n-th fault in a row a turn is owed again: 1 s, 4 s, 16 s, 64 s, 5 min, then 15 min each time. The same
 * after the n-th answer of an ad server that is not known.
 * @param n from 1 on.
 */
export function backoffMs(n: number): number {
  return STEPS_MS[n - 1] ?? LAST_STEP_MS;
}

/** When to ask an ad server again: when it has said, at most an hour from now and at least a second; else by {@link backoffMs}. */
export function askAgainMs(retryAtMs: number | undefined, n: number, nowMs: number): number {
  if (retryAtMs === undefined) return nowMs + backoffMs(n);
  return Math.max(nowMs + backoffMs(1), Math.min(retryAtMs, nowMs + MAX_RETRY_AFTER_MS));
}
