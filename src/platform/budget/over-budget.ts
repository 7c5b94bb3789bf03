import { toTimestamp } from '../clock.ts';
import { AppError } from '../errors.ts';

/** What a refusal says of the budget that it is for: `details.budget` of the error (rule S2). */
export interface BudgetSpent {
  name: string;
  /** How much there is of it, in `unit`. */
  size: number;
  unit: string;
  /** When there is some again; null: when something is let go or ended, whenever that is. */
  free_at: string | null;
}

/**
 * The one way to refuse whoever is over a budget: `RATE_LIMITED`, 429 on every wire. `retry_after` becomes Retry-After, and is
 * absent where nobody knows when there is room. @param freeAtMs when there is, in milliseconds since the Unix epoch.
 */
export function overBudget(
  budget: Omit<BudgetSpent, 'free_at'>,
  when: { nowMs: number; freeAtMs: number | undefined },
  message: string,
): AppError {
  const { nowMs, freeAtMs } = when;
  const free_at = freeAtMs === undefined ? null : toTimestamp(freeAtMs);
  const spent: BudgetSpent = { ...budget, free_at };
  return new AppError('RATE_LIMITED', message, {
    ...(freeAtMs !== undefined && { retry_after: Math.max(1, Math.ceil((freeAtMs - nowMs) / 1000)) }),
    details: { budget: spent },
  });
}
