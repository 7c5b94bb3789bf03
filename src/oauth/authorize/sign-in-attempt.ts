import type { SpentBudget } from '../../platform/budget/budget-table.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { addressKey } from '../../platform/client-address.ts';
import { AppError } from '../../platform/errors.ts';

/** One try to sign in; it counts as failed until it is said to have succeeded. */
export interface SignInAttempt {
  /** The try is refused: whole seconds until one more may be made. */
  waitSeconds: number | undefined;
  succeeded(): Promise<void>;
}

/**
 * Counts a try in every budget that guards passwords: of the address, of the account from this address, and, where the
 * account is not known to this address, of the account from all such addresses. What strangers spend so never locks a
 * person out of where that person is known (docs/decisions/0037-budgets.md).
 * @param account Its name of {@link accountNames}: keys are seen by whoever reads Redis.
 */
export async function beginAttempt(
  budgets: Budgets,
  { account, address }: { account: string; address: string },
): Promise<SignInAttempt> {
  const from = addressKey(address);
  const here = `${account}:${from}`;
  const counted: { name: SpentBudget; key: string }[] = [
    { name: 'failed_sign_ins', key: from },
    { name: 'failed_sign_ins_of_person', key: here },
  ];
  if (!(await budgets.isTrusted(here))) counted.push({ name: 'failed_sign_ins_elsewhere', key: account });
  const outcomes = await Promise.allSettled(counted.map(({ name, key }) => budgets.take(name, key)));
  const taken = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const giveBack = () => Promise.all(taken.map((spent) => spent.giveBack()));
  if (refusals.length > 0) await giveBack();
  return {
    waitSeconds: refusals.length === 0 ? undefined : Math.max(...refusals.map(waitOf)),
    async succeeded() {
      await Promise.all([giveBack(), budgets.trust(here)]);
    },
  };
}

/** @throws whatever is no refusal. */
function waitOf(refusal: unknown): number {
  if (refusal instanceof AppError) return refusal.details.retry_after ?? 1;
  throw refusal;
}
