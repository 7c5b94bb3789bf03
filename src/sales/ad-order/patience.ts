import { isAdServerFault, Unreachable } from '../ad-server/faults.ts';

const MINUTE_MS = 60_000;
/** How long after the n-th fault in a row an order is told again; from then on, {@link LAST_MS}. */
const STEPS_MS = [1_000, 4_000, 16_000, 64_000, 5 * MINUTE_MS];
export const LAST_MS = 15 * MINUTE_MS;
/** The longest that an ad server may ask us to stay away. */
export const MAX_RETRY_AFTER_MS = 60 * MINUTE_MS;
/** Up to this share is added by chance, so that what failed together does not come back together. */
const JITTER = 0.1;

/**
 * When an order is told again after its n-th fault in a row, in milliseconds; there is no last time. What breaks the protocol or
 * the configuration is for a person, and asked again without haste.
 * @param chance from 0 to 1.
 */
export function nextTryMs(fault: unknown, faults: number, nowMs: number, chance: number): number {
  const isForPerson = isAdServerFault(fault) && !(fault instanceof Unreachable);
  const stepMs = isForPerson ? LAST_MS : (STEPS_MS[faults - 1] ?? LAST_MS);
  const waitMs = Math.round(stepMs * (1 + JITTER * chance));
  const askedMs = fault instanceof Unreachable ? fault.retryAtMs : undefined;
  if (askedMs === undefined) return nowMs + waitMs;
  return Math.min(Math.max(askedMs, nowMs + 1), nowMs + MAX_RETRY_AFTER_MS);
}
