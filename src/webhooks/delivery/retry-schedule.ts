const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The wait before each attempt, in milliseconds after the one before (rule W7). */
export const RETRY_STEPS_MS: readonly number[] = [
  0,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  8 * MINUTE,
  20 * MINUTE,
  45 * MINUTE,
  1.5 * HOUR,
  3 * HOUR,
  5 * HOUR,
  6 * HOUR,
  5.5 * HOUR,
];

/** How long after its first attempt an event may be sent under one idempotency key, in milliseconds (rule W7). */
export const HORIZON_MS = 23 * HOUR + 55 * MINUTE;

/** The most that chance adds to a step. */
const JITTER = 0.1;

export interface Tried {
  /** Attempts made so far, at least 1. */
  attempts: number;
  /** When the first began, in milliseconds since the epoch. */
  firstMs: number;
  /** Now. */
  nowMs: number;
  /** What the receiver asked for by `Retry-After`, if anything. */
  retryAfterMs?: number | undefined;
  /** 0 up to 1. */
  random: number;
}

/** How much of what a receiver asked for counts after so many attempts, in milliseconds: up to twice the step (rule W7). */
export function honouredMs(attempts: number, retryAfterMs: number | undefined): number {
  return Math.min(retryAfterMs ?? 0, 2 * (RETRY_STEPS_MS[attempts] ?? 0));
}

/**
 * When to try again, in milliseconds since the epoch; undefined when the schedule is over (rule W7). `Retry-After`
 * prolongs a step up to twice. Chance, or attempts that took long, never push the last attempt over the horizon: it is
 * moved up to it instead.
 */
export function nextAttemptMs({ attempts, firstMs, nowMs, retryAfterMs, random }: Tried): number | undefined {
  const step = RETRY_STEPS_MS[attempts];
  const horizonMs = firstMs + HORIZON_MS;
  if (step === undefined || nowMs >= horizonMs) return undefined;
  const asked = honouredMs(attempts, retryAfterMs);
  if (asked > step && nowMs + asked > horizonMs) return undefined;
  return Math.min(nowMs + Math.max(step * (1 + JITTER * random), asked), horizonMs);
}

/** Whether an event whose first attempt began then may still be sent under its key. */
export function isWithinHorizon(firstMs: number, nowMs: number): boolean {
  return nowMs <= firstMs + HORIZON_MS;
}
