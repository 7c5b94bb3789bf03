import { AppError } from '../errors.ts';
import { BUDGETS } from './budget-table.ts';
import type { SpentBudget } from './budget-table.ts';
import type { Budgets, BudgetUse } from './budgets.ts';

/**
 * Takes one of a budget, and says by headers how it stands, taken or refused (rule R14).
 * @throws {AppError} `RATE_LIMITED`.
 */
export async function takeAndTell(
  budgets: Budgets,
  { name, key }: { name: SpentBudget; key: string },
  say: (headers: Record<string, string>) => void,
): Promise<BudgetUse> {
  const size = budgets.size(name);
  const tell = (left: number, resetSeconds: number) => {
    say({
      'RateLimit-Policy': `${size};w=${BUDGETS[name].seconds}`,
      'RateLimit-Limit': String(size),
      'RateLimit-Remaining': String(left),
      'RateLimit-Reset': String(resetSeconds),
    });
  };
  try {
    const spent = await budgets.take(name, key);
    tell(spent.left, spent.resetSeconds);
    return spent;
  } catch (error) {
    if (error instanceof AppError) tell(0, error.details.retry_after ?? 1);
    throw error;
  }
}
