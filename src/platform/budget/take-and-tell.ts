import { AppError } from '../errors.ts';
import { BUDGETS } from './budget-table.ts';
import type { SpentBudget } from './budget-table.ts';
import type { BudgetLeft, Budgets, BudgetUse } from './budgets.ts';

/** Puts headers on the answer that is being made. */
export type Say = (headers: Record<string, string>) => void;

/**
 * Takes one of a budget, and says by headers how it stands, taken or refused (rule R14).
 * @throws {AppError} `RATE_LIMITED`.
 */
export function takeAndTell(budgets: Budgets, use: Use, say: Say): Promise<BudgetUse> {
  return told(budgets, use, say, budgets.take(use.name, use.key));
}

/**
 * The same in shares (`Budgets.draw`), for what is asked for often: what is said to be left is as of when this process last asked.
 * @throws {AppError} `RATE_LIMITED`.
 */
export function drawAndTell(budgets: Budgets, use: Use, say: Say): Promise<BudgetLeft> {
  return told(budgets, use, say, budgets.draw(use.name, use.key));
}

interface Use {
  name: SpentBudget;
  key: string;
}

async function told<T extends BudgetLeft>(budgets: Budgets, { name }: Use, say: Say, spending: Promise<T>): Promise<T> {
  try {
    const spent = await spending;
    tellUse(budgets, name, spent, say);
    return spent;
  } catch (error) {
    if (error instanceof AppError)
      tellUse(budgets, name, { left: 0, resetSeconds: error.details.retry_after ?? 1 }, say);
    throw error;
  }
}

/** Says by headers how a budget stands (rule R14). */
export function tellUse(budgets: Budgets, name: SpentBudget, { left, resetSeconds }: BudgetLeft, say: Say): void {
  const size = budgets.size(name);
  say({
    'RateLimit-Policy': `${size};w=${BUDGETS[name].seconds}`,
    'RateLimit-Limit': String(size),
    'RateLimit-Remaining': String(left),
    'RateLimit-Reset': String(resetSeconds),
  });
}
