import type { SpentBudget } from '../../platform/budget/budget-table.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { drawAndTell, takeAndTell } from '../../platform/budget/take-and-tell.ts';
import type { Say } from '../../platform/budget/take-and-tell.ts';
import type { Endpoint } from '../endpoint.ts';

/**
 * Takes one of an endpoint's budget for whom the key names, and says by headers how it stands (rule R14). Answers what undoes it,
 * where not all is counted.
 * @throws {AppError} `RATE_LIMITED`.
 */
type Spend = (key: string, say: Say) => Promise<(() => Promise<void>) | undefined>;

/** How an endpoint's calls are counted. */
export function spendFor({ limit: name, counts }: Pick<Endpoint, 'limit' | 'counts'>, budgets: Budgets): Spend {
  const countsAll = counts !== 'refused';
  if (countsAll && IN_SHARES.has(name))
    return async (key, say) => {
      await drawAndTell(budgets, { name, key }, say);
      return undefined;
    };
  return async (key, say) => {
    const { giveBack } = await takeAndTell(budgets, { name, key }, say);
    return countsAll ? undefined : giveBack;
  };
}

/** What is looked up again and again, of which each process takes its share ahead: a look-up costs no command of Redis's of its own. */
const IN_SHARES: ReadonlySet<string> = new Set<SpentBudget>([
  'look_up_operator',
  'look_up_publisher',
  'check_authorization',
]);
