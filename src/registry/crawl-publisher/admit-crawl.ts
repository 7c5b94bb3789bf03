import { registrableDomain } from '../../directory/domain/normalize-domain.ts';
import type { SpentBudget } from '../../platform/budget/budget-table.ts';
import type { Budgets, BudgetUse } from '../../platform/budget/budgets.ts';
import { addressKey } from '../../platform/client-address.ts';
import type { CrawlNews } from '../crawl/apply-crawl.ts';

/**
 * Counts what somebody unknown changes in the registry by asking for a crawl, and what is stored of it: names are free below a domain of
 * one's own, and files change as often as their owners like. @throws {AppError} `RATE_LIMITED`; nothing is changed then.
 */
export async function admitCrawl(
  { budgets, address }: { budgets: Budgets; address: string },
  publisher_domain: string,
  { isNew, changes, rows }: CrawlNews,
): Promise<void> {
  const from = addressKey(address);
  const below = registrableDomain(publisher_domain) ?? publisher_domain;
  const uses: [SpentBudget, key: string, amount: number][] = [
    ['crawl_events', from, changes],
    ['crawl_events_of_domain', below, changes],
    ['crawled_rows', from, rows],
    ['crawled_rows_of_domain', below, rows],
    ['new_publishers_of_domain', below, isNew ? 1 : 0],
    ['new_publishers', from, isNew ? 1 : 0],
  ];
  const taken: BudgetUse[] = [];
  try {
    for (const [name, key, amount] of uses) if (amount > 0) taken.push(await budgets.take(name, key, amount));
  } catch (error) {
    for (const spent of taken) await spent.giveBack();
    throw error;
  }
}
