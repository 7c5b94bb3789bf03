import { z } from 'zod';
import type { Approval } from '../../sales/approval/approval.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import { sumMinor } from '../../platform/money.ts';
import type { Problem } from '../problems.ts';
import { changeBudgets } from './budgets.ts';
import { PackageUpdate, Updates } from './schema.ts';

/** The money in a stored request; what else it asks for does not matter here. */
const MoneyUpdates = z.object({
  budget_change: Updates.shape.budget_change,
  packages: z.array(z.object(PackageUpdate.pick({ package_id: true, budget: true, bid_price: true }).shape)).optional(),
});

/**
 * What the buy's total would be, in minor units, if what waits for approval took hold of the buy as it stands; null when it
 * no longer waits or could not. What the buy has spent is not looked at. Pure.
 */
export function resultingTotal(
  buy: MediaBuy,
  { operation, request }: Pick<Approval, 'operation' | 'request'>,
): number | null {
  if (isTerminalBuy(buy.status)) return null;
  if (operation === 'create_media_buy') return buy.total_budget_minor;
  const { success, data } = MoneyUpdates.safeParse(request['updates']);
  if (!success) return null;
  const problems: Problem[] = [];
  const packages = changeBudgets(buy, data, { spentMinor: () => 0 }, problems);
  if (problems.length > 0) return null;
  try {
    return sumMinor(packages.map(({ budget_minor }) => budget_minor));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
