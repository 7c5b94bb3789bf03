import { AppError } from '../errors.ts';
import { BUDGETS } from './budget-table.ts';
import type { SpentBudget } from './budget-table.ts';
import type { Budgets, BudgetUse } from './budgets.ts';

/** Puts headers on the answer that is being made. */
export type Say = (headers: Record<string, string>) => void;

/**
 * Takes one of a budget, and says by headers how it stands, taken or refused (rule R14).
 * @throws {AppError} `RATE_LIMITED`.
 */
export async function takeAndTell(
  budgets: Budgets,
  { name, key }: { name: SpentBudget; key: string },
  say: Say,
): Promise<BudgetUse> {
  try {
    const spent = await budgets.take(name, key);
    tellUse(budgets, name, spent, say);
    return spent;
  } catch (error) {
    if (error instanceof AppError)
      tellUse(budgets, name, { left: 0, resetSeconds: error.details.retry_after ?? 1 }, say);
    throw error;
  }
}

/** Says by headers how a budget stands (rule R14). */
export function tellUse(
  budgets: Budgets,
  name: SpentBudget,
  { left, resetSeconds }: Pick<BudgetUse, 'left' | 'resetSeconds'>,
  say: Say,
): void {
  const size = budgets.size(name);
  say({
    'RateLimit-Policy': `${size};w=${BUDGETS[name].seconds}`,
    'RateLimit-Limit': String(size),
    'RateLimit-Remaining': String(left),
    'RateLimit-Reset': String(resetSeconds),
  });
}
