import type { Problem } from '../../platform/errors.ts';
import { claimCredit } from '../../sales/credit/credit.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { commitmentOf, creditProblems } from '../within-credit.ts';
import type { UpdatePlan } from './plan.ts';

/** Whether it comes to more money: less, or the same, needs neither credit nor a person. */
function isRaise(buy: MediaBuy, { changed }: UpdatePlan): boolean {
  return changed.total_budget_minor > buy.total_budget_minor;
}

/** What the buyer's credit says against a change, as one looks. */
export async function raiseProblems(deps: TaskDependencies, buy: MediaBuy, plan: UpdatePlan): Promise<Problem[]> {
  return isRaise(buy, plan) ? creditProblems(deps, commitmentAfter(buy, plan), ['updates']) : [];
}

/** Claims what a change adds, before it is written to the buy as it was read. @throws {AppError} as `claimCredit`. */
export async function claimRaise(deps: TaskDependencies, buy: MediaBuy, plan: UpdatePlan): Promise<void> {
  if (isRaise(buy, plan)) await claimCredit(deps.credit, commitmentAfter(buy, plan), buy.row_version);
}

/** More money than the seller lets pass by itself. */
export async function needsPerson(
  { approvalPolicy, credit }: TaskDependencies,
  buy: MediaBuy,
  plan: UpdatePlan,
): Promise<boolean> {
  if (!isRaise(buy, plan)) return false;
  const { organization_id, currency } = buy;
  const { total_budget_minor } = plan.changed;
  const { approvalOver: own } = await credit.limitsOf(organization_id);
  return approvalPolicy.needsPerson({ operation: 'update_media_buy', total_budget_minor, currency, own });
}

/** What the buy commits once the change holds. */
function commitmentAfter(buy: MediaBuy, { changed: { total_budget_minor } }: UpdatePlan) {
  return commitmentOf({ ...buy, total_budget_minor });
}
