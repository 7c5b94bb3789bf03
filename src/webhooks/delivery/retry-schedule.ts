const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after its first attempt an event may be sent under one idempotency key, in milliseconds (rule W7). */
export const HORIZON_MS = 24 * HOUR;

/**
 * How long after the first the last attempt is planned at the latest, in milliseconds. What is left of the horizon is for a target
 * that is closed by then, for ten minutes at most, and for a queue.
 */
const LAST_MS = HORIZON_MS - 15 * MINUTE;

/** An attempt lasts so long at most, by default, in milliseconds (rule W8). */
export const ATTEMPT_MS = 15 * SECOND;

const STEPS_MS = [
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
];

/** The wait before each attempt, in milliseconds after the one before; before the last, what is then left (rule W7). */
export const RETRY_STEPS_MS: readonly number[] = [...STEPS_MS, LAST_MS - STEPS_MS.reduce((sum, step) => sum + step)];

/** The most that chance adds to a step, and takes from the last. */
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
 * prolongs a step up to twice. The last attempt is planned by the first, whatever chance and attempts that took long have added to
 * the steps between; and none is planned later than it may be.
 */
export function nextAttemptMs({ attempts, firstMs, nowMs, retryAfterMs, random }: Tried): number | undefined {
  const step = RETRY_STEPS_MS[attempts];
  const leftMs = firstMs + LAST_MS - nowMs;
  if (step === undefined || leftMs <= 0) return undefined;
  const asked = honouredMs(attempts, retryAfterMs);
  if (asked > leftMs) return undefined;
  const isLast = attempts === RETRY_STEPS_MS.length - 1;
  const waitMs = isLast ? leftMs * (1 - JITTER * random) : step * (1 + JITTER * random);
  return nowMs + Math.min(Math.max(waitMs, asked), leftMs);
}

/** Whether an event whose first attempt began then may still be sent under its key: such an attempt ends within the horizon. */
export function isWithinHorizon(firstMs: number, nowMs: number): boolean {
  return nowMs + ATTEMPT_MS <= firstMs + HORIZON_MS;
}
