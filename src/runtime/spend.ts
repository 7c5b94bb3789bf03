import type { OrganizationId } from '../platform/organization-id.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import type { QueuedTask } from './task-definition.ts';

/**
 * Counts what an organization has stored (rule S2): `stored` as JSON, which is what a row is. Answers of reads, kept for an hour,
 * have a budget of their own: however much somebody reads, a buy can still be paused.
 * @throws {AppError} `RATE_LIMITED`; nothing may be stored then.
 */
export async function spendBytes(
  { budgets }: Pick<RuntimeDependencies, 'budgets'>,
  organization_id: OrganizationId,
  stored: unknown,
  isRead: true | undefined,
): Promise<void> {
  const name = isRead === true ? 'answered_bytes' : 'stored_bytes';
  await budgets?.draw(name, organization_id, Buffer.byteLength(JSON.stringify(stored)));
}

/**
 * Counts what a task is to make in the budget of its kind, while `work` stores the task; gives it back unless that answers
 * true. @throws {AppError} `RATE_LIMITED`, before anything is stored.
 */
export async function spending<T>(
  { budgets }: Pick<RuntimeDependencies, 'budgets'>,
  made: ReturnType<NonNullable<QueuedTask['makes']>> | undefined,
  organization_id: OrganizationId,
  work: () => Promise<{ isStored: boolean; outcome: T }>,
): Promise<T> {
  const spent = made && made.amount > 0 ? await budgets?.take(made.budget, organization_id, made.amount) : undefined;
  let isStored = false;
  try {
    const done = await work();
    ({ isStored } = done);
    return done.outcome;
  } finally {
    if (!isStored) await spent?.giveBack();
  }
}
